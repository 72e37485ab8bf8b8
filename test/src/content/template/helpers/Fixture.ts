import { body, json } from "#test/src/content/Rendering.ts"
import { assert } from "@effect/vitest"

export const data = json(`{
  "name": "ada", "n": 7, "text": "5", "yes": true, "no": false, "none": null, "empty": [], "list": ["a", "b"],
  "people": [{ "name": "Rod", "age": 30 }, { "name": "TK", "age": 17 }], "customer": { "name": "josh", "tags": ["x", "y"] },
  "json": "[{\\"k\\": 1}, {\\"k\\": 2}]", "format": "mine", "params": "own"
}`)
const profile = { "email": "a@x.io", "address": { "city": "Rome" } }

export const say = (source: string): string => body(source, { data, profile })

/** Templates and what they say; many are the examples of the published reference. */
export const all = (examples: ReadonlyArray<readonly [string, string]>): void => {
  for (const [source, said] of examples) assert.strictEqual(say(source), said, source)
}
