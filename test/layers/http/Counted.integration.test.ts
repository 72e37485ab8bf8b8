import * as Database from "#layers/memory/Database.ts"
import * as InMemory from "#layers/memory/Idempotency.ts"
import * as CountedInMemory from "#layers/memory/RateLimits.ts"
import * as OnPostgres from "#layers/postgres/Idempotency.ts"
import * as CountedOnPostgres from "#layers/postgres/RateLimits.ts"
import { defaults } from "#src/access/RateLimits.ts"
import { serveWith } from "#test/layers/http/Server.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const subscribed = { recipients: [{ recipientId: "ada" }] }

/** Keys and counters in one store, whose transactions take back what was written in them. */
const stores = {
  "in memory": Layer.merge(InMemory.layer, CountedInMemory.layer).pipe(Layer.provide(Database.layer), Layer.fresh),
  "on Postgres": Layer.merge(OnPostgres.layer, CountedOnPostgres.layer).pipe(
    Layer.provide([NodeCrypto.layer, FreshDatabase.layer]),
    Layer.orDie
  )
}

const serving = Effect.fnUntraced(function*(store: keyof typeof stores) {
  const { call } = yield* serveWith(stores[store])
  return Effect.fnUntraced(function*(key: string | undefined, body: unknown) {
    const { headers, status } = yield* call("POST", "/lists/news/subscriptions", {
      body,
      headers: key === undefined ? {} : { "idempotency-key": key }
    })
    return [status, headers.get("x-ratelimit-remaining"), headers.get("idempotent-replayed")]
  })
})

for (const store of ["in memory", "on Postgres"] as const) {
  describe(`Requests with a key, counted ${store}`, () => {
    it.effect("count if they are refused, as those without a key do: nobody has more than the limit (api.md 1.7)", () =>
      Effect.gen(function*() {
        const post = yield* serving(store)
        assert.deepStrictEqual(yield* post("one", {}), [400, "19", null])
        assert.deepStrictEqual(yield* post("two", {}), [400, "18", null])
        assert.deepStrictEqual(yield* post(undefined, {}), [400, "17", null])
        assert.deepStrictEqual(yield* post("three", subscribed), [204, "16", null])
        for (let n = 5; n <= defaults["list-subscriptions"]; n++) yield* post(`key ${n}`, {})
        assert.deepStrictEqual(yield* post("late", {}), [429, "0", null])
        assert.deepStrictEqual(yield* post("late", subscribed), [429, "0", null])
      }))

    it.effect("count once, whatever is replayed, and a replay says what was left then", () =>
      Effect.gen(function*() {
        const post = yield* serving(store)
        assert.deepStrictEqual(yield* post("refused", {}), [400, "19", null])
        assert.deepStrictEqual(yield* post("refused", subscribed), [400, "19", "true"])
        assert.deepStrictEqual(yield* post("taken", subscribed), [204, "18", null])
        assert.deepStrictEqual(yield* post("taken", {}), [204, "18", "true"])
        assert.deepStrictEqual(yield* post("another", subscribed), [204, "17", null])
      }))
  })
}
