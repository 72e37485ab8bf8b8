import type * as Seeds from "../Seeds.ts"
import { bugs } from "./Bugs.ts"
import { type ModuleSource, registerHooks } from "node:module"

/**
 * Looks for the bugs of these numbers, each in sources of its own, and prints the first seed that finds it, a line of
 * JSON each; its own seed is asked first.
 */
const [count, ...numbers] = process.argv.slice(2)

const root = new URL("../../../", import.meta.url).href
const mine = ["schemas/", "src/", "layers/", "test/simulator/"].map((folder) => `${root}${folder}`)

const plantedIn = (url: string | undefined): string | null =>
  url === undefined ? null : new URL(url).searchParams.get("planted")

const textOf = (source: ModuleSource | null | undefined): string =>
  typeof source === "string" ? source : new TextDecoder().decode(source ?? undefined)

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
    const loaded = next(url, context)
    const bug = bugs[Number(plantedIn(url) ?? -1)]
    return bug !== undefined && url.startsWith(`${root}${bug.file}?`)
      ? { ...loaded, source: textOf(loaded.source).replace(bug.text, () => bug.becomes) }
      : loaded
  }
})

for (const number of numbers) {
  const seeds: Pick<typeof Seeds, "find"> = await import(`${root}test/simulator/Seeds.ts?planted=${number}`)
  const seed = bugs[Number(number)]?.seed ?? 1
  console.log(JSON.stringify(seeds.find(seed, 1) ?? seeds.find(1, Number(count)) ?? null))
}
