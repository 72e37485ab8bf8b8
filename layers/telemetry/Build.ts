import { version } from "#schemas/Version.ts"
import { Metric, Option } from "effect"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const read = Option.liftThrowable((...path: ReadonlyArray<string>) => readFileSync(join(...path), "utf8").trim())

/** The commit that the checkout in this folder is at; `undefined` where there is none, as in a container. */
export const commitOf = (root: string): string | undefined => {
  const git = join(root, ".git")
  const head = Option.getOrUndefined(read(git, "HEAD"))
  const ref = head === undefined ? undefined : /^ref: (.+)$/.exec(head)?.[1]
  if (ref === undefined) return head
  const packed = Option.getOrElse(read(git, "packed-refs"), () => "").split("\n")
  return Option.getOrElse(read(git, ref), () => packed.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0])
}

const { deno, node } = process.versions
const commit = commitOf(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

/** What this process runs, and on what. */
export const build: Readonly<Record<string, string>> = {
  version,
  ...(commit === undefined ? {} : { commit }),
  runtime: deno === undefined ? `node ${node}` : `deno ${deno}`
}

/** Always 1: what it tells is in its labels, as exporters have it. */
export const info = Metric.gauge("tidings_build_info", {
  description: "1; the labels tell which version of this program runs, and on what",
  attributes: build
})
