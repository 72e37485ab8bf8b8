import type * as Seeds from "../Seeds.ts"
import { bugs } from "./Bugs.ts"
import { readFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"

/**
 * Looks for the bugs of these numbers, each in sources of its own, and prints the first seed that finds it, a line of
 * JSON each; its own seed is asked first.
 */
const [count, ...numbers] = process.argv.slice(2)

const root = new URL("../../../", import.meta.url).href
const mine = ["schemas/", "src/", "layers/", "test/simulator/"].map((folder) => `${root}${folder}`)

const plantedIn = (url: string | undefined): string | null =>
  url === undefined ? null : new URL(url).searchParams.get("planted")

const textOf = (url: string): string => readFileSync(new URL(url), "utf8")

const withoutTypes = new Map<string, string>()

/** Node would take the types out of every module again for each bug. */
const code = (url: string): string => {
  const known = withoutTypes.get(url) ?? stripTypeScriptTypes(textOf(url))
  withoutTypes.set(url, known)
  return known
}

// A module that is imported by one with a bug's number has that number too: all are loaded anew, and one with the bug.
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    const planted = plantedIn(context.parentURL)
    return planted !== null && mine.some((folder) => found.url.startsWith(folder))
      ? { ...found, url: `${found.url}?planted=${planted}` }
      : found
  },
  load: (url, context, next) => {
    const bug = bugs[Number(plantedIn(url) ?? -1)]
    if (bug === undefined) return next(url, context)
    const [file = url] = url.split("?")
    const source = file === `${root}${bug.file}`
      ? stripTypeScriptTypes(textOf(file).replace(bug.text, () => bug.becomes))
      : code(file)
    return { format: "module", source, shortCircuit: true }
  }
})

for (const number of numbers) {
  const seeds: Pick<typeof Seeds, "find"> = await import(`${root}test/simulator/Seeds.ts?planted=${number}`)
  const seed = bugs[Number(number)]?.seed ?? 1
  console.log(JSON.stringify(seeds.find(seed, 1) ?? seeds.find(1, Number(count)) ?? null))
}
