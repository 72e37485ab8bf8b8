import type * as Seeds from "../Seeds.ts"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** Looks for the bug of each copy of the sources that is named, and prints the first seed that finds it, a line of JSON each. */
const [count, ...copies] = process.argv.slice(2)

for (const copy of copies) {
  const seeds: Pick<typeof Seeds, "find"> = await import(
    pathToFileURL(join(copy, "test", "simulator", "Seeds.ts")).href
  )
  console.log(JSON.stringify(seeds.find(1, Number(count)) ?? null))
}
