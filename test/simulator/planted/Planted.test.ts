import { afterAll, assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Finding } from "../Seeds.ts"
import { type Bug, bugs } from "./Bugs.ts"

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "..", "..", "..")
const copies = mkdtempSync(join(tmpdir(), "tidings-planted-"))

/** A bug that more seeds do not find is one that the simulator does not see. */
const most = 2_000

/** A copy of the sources with the bug in it. */
const plant = ({ becomes, file, text }: Bug, n: number): string => {
  const copy = join(copies, String(n))
  for (const part of ["package.json", "schemas", "src", "layers", "test/simulator"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  const source = readFileSync(join(copy, file), "utf8")
  writeFileSync(join(copy, file), source.replace(text, () => becomes))
  return copy
}

/** Two children share the work; each takes every second copy. */
const search = async (places: ReadonlyArray<string>): Promise<ReadonlyArray<Finding | null>> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(here, "Child.ts"), String(most), ...places],
    { cwd: root, maxBuffer: 1e8 }
  )
  return stdout.trim().split("\n").map((line): Finding | null => JSON.parse(line))
}

describe("planted bugs", () => {
  // Some dozens of copies of the sources, on a disk that others use.
  afterAll(() => rmSync(copies, { recursive: true, force: true }), 120_000)

  it("each is found", { timeout: 900_000 }, async () => {
    assert.isAtLeast(bugs.length, 12)
    const places = bugs.map(plant)
    const [even, odd] = await Promise.all(
      [0, 1].map((half) => search(places.filter((_, n) => n % 2 === half)))
    )
    const findings = bugs.map((bug, n) => ({ bug, finding: (n % 2 === 0 ? even : odd)?.[n >> 1] ?? undefined }))
    const table = findings.map(({ bug, finding }) =>
      `${finding === undefined ? "NOT FOUND" : `seed ${finding.seed}`.padEnd(9)}  ${bug.name}: ${
        finding?.complaints[0]
      }`
    )
    console.log(table.join("\n"))
    assert.deepStrictEqual(findings.filter(({ finding }) => finding === undefined).map(({ bug }) => bug.name), [])
  })
})
