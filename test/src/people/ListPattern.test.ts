import { ListId } from "#schemas/List.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const found = (pattern: string, ids: ReadonlyArray<string>) =>
  Effect.map(ListPattern.parse(pattern), (parsed) => ids.filter((id) => ListPattern.matches(parsed, id)))

const ids = ["eng", "eng.a", "eng.a.b", "eng.a.b.c", "ops.a", "ops.b", "engx.a", "eng.ab"]

const matching: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["eng.**", ["eng.a", "eng.a.b", "eng.a.b.c", "eng.ab"]],
  ["eng.*", ["eng.a", "eng.ab"]],
  ["*.a", ["eng.a", "ops.a", "engx.a"]],
  ["*.a.**", ["eng.a.b", "eng.a.b.c"]],
  ["*", ["eng"]],
  ["*.*.*", ["eng.a.b"]],
  ["eng.*.*.*", ["eng.a.b.c"]],
  ["eng.a", ["eng.a"]],
  ["ops", []]
]

const isListId = Schema.is(ListId)

describe("List ids and patterns", () => {
  it.effect.each(matching)(
    "%s",
    ([pattern, expected]) => Effect.map(found(pattern, ids), (seen) => assert.deepStrictEqual(seen, expected))
  )

  it.effect.each(matching)(
    "%s: all that match begin with its prefix",
    ([pattern, expected]) =>
      Effect.map(ListPattern.parse(pattern), ({ prefix }) => {
        for (const id of expected) assert.isTrue(id.startsWith(prefix))
        const literal = pattern.includes("*") ? /^(?:[^*.]+\.)*/.exec(pattern)?.[0] : pattern
        assert.strictEqual(prefix, literal)
      })
  )

  it.effect.each([
    "",
    "**",
    "**.a",
    "a.**.b",
    "*.**",
    "*.*.**",
    "*.*.*.*",
    ".a",
    "a.",
    "a..b",
    "a.b.c.d.e",
    "a*",
    "a.***",
    "a b",
    "a#",
    "a\u0000",
    "\ud800",
    "x".repeat(513)
  ])("%j is no pattern", (pattern) =>
    Effect.map(
      Effect.flip(ListPattern.parse(pattern)),
      ({ detail }) => assert.match(detail, /^The pattern /)
    ))

  it.effect.each(["a", "a.b.c.d", "news@x+y", "é.\u{1f984}", "a/b", "x".repeat(512)])(
    "%j is an id",
    (id) => Effect.sync(() => assert.isTrue(isListId(id)))
  )

  it.effect.each(["", ".a", "a.", "a..b", "a.b.c.d.e", "*", "a.*", "a#b", "a b", "a\tb", "a\u0000", "x".repeat(513)])(
    "%j is no id",
    (id) => Effect.sync(() => assert.isFalse(isListId(id)))
  )

  it.effect.prop(
    "an id is the pattern of itself and of nothing else",
    { one: ListId, other: ListId },
    ({ one, other }) =>
      Effect.map(found(one, [one, other]), (seen) => assert.deepStrictEqual(seen, one === other ? [one, one] : [one])),
    {
      arbitrary: { runs: 30 }
    }
  )
})
