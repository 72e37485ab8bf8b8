import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const strategy = (name: string): RoutingStrategy => ({
  name,
  description: "\u0000",
  tags: ["a"],
  routing: { method: "single", channels: ["email", { method: "all", channels: ["sms", { provider: "slack" }] }] },
  channels: { email: { providers: ["sendgrid", "smtp"], override: { ...Fixture.withProto } } },
  providers: { smtp: { timeout: 5_000 } }
})

const bare: RoutingStrategy = { name: "bare", routing: { method: "all", channels: [] } }

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const at = yield* Clock.currentTimeMillis
  const strategies = yield* Strategies
  return { at, scope, strategies }
})

/** What every store of routing strategies promises. */
export const strategiesContract = <E>(name: string, stores: Layer.Layer<Strategies, E>) =>
  layer(stores)(`Strategies: ${name}`, (it) => {
    it.effect("are kept as they were given, and replaced whole", () =>
      Effect.gen(function*() {
        const { at, scope, strategies } = yield* start
        const made = yield* strategies.create(scope, strategy("one"))
        assert.match(made.id, /^rs_[0-9a-hjkmnp-tv-z]{26}$/)
        assert.deepStrictEqual(yield* strategies.get(scope, made.id), made)
        assert.deepStrictEqual(made, { id: made.id, strategy: strategy("one"), created: at, updated: undefined })
        assert.deepStrictEqual(yield* strategies.resolve(scope, made.id), strategy("one"))
        yield* TestClock.adjust("1 second")
        yield* strategies.replace(scope, made.id, bare)
        assert.deepStrictEqual(yield* strategies.get(scope, made.id), {
          id: made.id,
          strategy: bare,
          created: at,
          updated: at + 1_000
        })
        assert.deepStrictEqual(yield* strategies.resolve(scope, made.id), bare)
      }))

    it.effect("an archived one is gone, and so is another environment's (P10)", () =>
      Effect.gen(function*() {
        const { scope, strategies } = yield* start
        const elsewhere = yield* start
        const { id } = yield* strategies.create(scope, bare)
        yield* strategies.archive(scope, id)
        const other = yield* strategies.create(scope, bare)
        const refused = Effect.fnUntraced(function*([of, name]: readonly [Scope, string]) {
          const tag = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
            Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
          return yield* Effect.all([
            tag(strategies.get(of, name)),
            tag(strategies.resolve(of, name)),
            tag(strategies.archive(of, name)),
            tag(strategies.replace(of, name, bare)),
            // What the strategy says matters only where there is one.
            tag(strategies.replace(of, name, { ...bare, channels: { email: { brand_id: "none" } } }))
          ])
        })
        const tags = yield* Effect.forEach(
          [[scope, id], [elsewhere.scope, other.id], [scope, "rs_none"]] as const,
          refused
        )
        assert.deepStrictEqual(tags.flat(), Array.from({ length: 15 }, () => "StrategyNotFound"))
        assert.deepStrictEqual(
          (yield* strategies.list(scope, { limit: 10, cursor: undefined })).items.map((item) => item.id),
          [other.id]
        )
      }))

    it.effect("are listed newest first, page by page", () =>
      Effect.gen(function*() {
        const { scope, strategies } = yield* start
        const ids: Array<string> = []
        for (const n of [1, 2, 3, 4, 5]) {
          ids.unshift((yield* strategies.create(scope, strategy(String(n)))).id)
          yield* TestClock.adjust("1 milli")
        }
        const seen: Array<string> = []
        let cursor: string | undefined
        do {
          const page = yield* strategies.list(scope, { limit: 2, cursor })
          seen.push(...page.items.map((item) => item.id))
          cursor = page.cursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(seen, ids)
      }))

    it.effect("a page ends early where strategies are large, and has one at least", () =>
      Effect.gen(function*() {
        const { scope, strategies } = yield* start
        const ids = yield* Effect.forEach(Walk.large, (text) =>
          Effect.tap(
            Effect.map(strategies.create(scope, { ...bare, description: text }), ({ id }) => id),
            TestClock.adjust("-1 milli")
          ))
        yield* Walk.early((page) => strategies.list(scope, page), ({ id }) => id, ids)
      }))
  })
