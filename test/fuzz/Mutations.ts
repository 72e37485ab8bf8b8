import { Array, Effect, Random, type Schema } from "effect"

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)
const isObject = (value: Schema.Json): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !isList(value)

/** One of them, which are some. */
export const pick = <A>(some: ReadonlyArray<A>): Effect.Effect<A> => Effect.orDie(Random.choice(some))

const nested = (depth: number): Schema.Json => Array.makeBy(depth, (n) => n).reduce<Schema.Json>((inner) => [inner], 1)

/** Values that a field seldom expects. */
const odd: ReadonlyArray<Schema.Json> = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  1.5,
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202e\u{1f600}",
  "__proto__",
  "constructor",
  "a".repeat(5_000),
  "{{a}}",
  "<script>alert(1)</script>",
  "Infinity",
  "2026-02-30T00:00:00Z",
  "'; drop table messages; --",
  "1-00000000-000000000000000000000000",
  [],
  [null],
  {},
  { "": "" },
  nested(20),
  nested(70),
  "\u2028",
  "\ufeff",
  "x".repeat(1 << 20)
]

const oddKeys = ["__proto__", "constructor", "", "\u0000", "id", "unknown"]

/** A JSON value with one place changed: a member dropped, added or renamed, or a value replaced by an odd one. */
export const mutate = (value: Schema.Json): Effect.Effect<Schema.Json> =>
  Effect.gen(function*(): Effect.fn.Return<Schema.Json> {
    const chance = yield* Random.next
    if (isObject(value)) {
      const entries = Object.entries(value)
      if (chance < 0.1) {
        return Object.fromEntries([...entries, [yield* pick(oddKeys), yield* pick(odd)]])
      }
      if (entries.length === 0) return yield* pick(odd)
      const at = yield* Random.nextIntBetween(0, entries.length - 1)
      if (chance < 0.25) return Object.fromEntries(entries.filter((_, index) => index !== at))
      const changed = yield* Effect.forEach(entries, ([name, inner], index) =>
        index === at
          ? Effect.map(mutate(inner), (found) => [name, found] as const)
          : Effect.succeed([name, inner] as const))
      return Object.fromEntries(changed)
    }
    if (isList(value) && value.length > 0 && chance < 0.7) {
      const at = yield* Random.nextIntBetween(0, value.length - 1)
      if (chance < 0.1)
        return [...value, ...value]
      return yield* Effect.forEach(value, (inner, index) => index === at ? mutate(inner) : Effect.succeed(inner))
    }
    return yield* pick(odd)
  })

/** Text that is no JSON, or hardly. */
export const broken = (text: string): Effect.Effect<string> =>
  Effect.gen(function*() {
    const at = yield* Random.nextIntBetween(0, Math.max(0, text.length - 1))
    return yield* pick([
      text.slice(0, at),
      `${text}${text}`,
      `${text.slice(0, at)}\u0001${text.slice(at)}`,
      text.replaceAll("\"", "'"),
      "[".repeat(100),
      `{"a":1,"a":${text}}`,
      "nul",
      ""
    ])
  })
