import { failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"

/** Lists in lists, which say nothing. */
const hollow = (depth: number): Schema.Json => depth === 0 ? [] : [hollow(depth - 1)]

const said = (source: string, count: number) =>
  failure({ body: `{{#each many}}${source}{{/each}}` }, {
    data: { many: Array.from({ length: count }, () => 1), big: "x".repeat(1_000_000), hollow: hollow(60) }
  })

describe("What a template takes of its budget", () => {
  it("a step for each argument of a helper", () => {
    const words = `{{#if (and${" 1".repeat(100)})}}{{/if}}`
    const named = `{{#if (params${Array.from({ length: 100 }, (_, n) => ` a${n}=1`).join("")})}}{{/if}}`
    for (const source of [words, named]) {
      assert.strictEqual(said(source, 450), "rendered")
      assert.match(said(source, 500), /more than 50000 steps/)
    }
  })

  it("all characters that are looked at, though nothing is written", () => {
    const sources = [
      "{{lookup @root.a @root.big}}",
      "{{conditional 1 operator=@root.big}}",
      "{{#if (json-parse @root.big)}}{{/if}}"
    ]
    for (const source of sources) assert.notStrictEqual(said(source, 9), "rendered", source)
    assert.match(said("{{lookup @root.a @root.big}}", 9), /looks through more/)
    assert.strictEqual(said("{{lookup @root.a @root.big}}", 8), "rendered")
  })

  it("all items of lists that say nothing", () => {
    const source = "{{@root.hollow}}".repeat(4)
    assert.strictEqual(said(source, 4_000), "rendered")
    assert.match(said(source, 5_000), /looks through more/)
  })
})
