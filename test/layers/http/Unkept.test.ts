import { Idempotency, type StoredResponse } from "#src/access/Idempotency.ts"
import { serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

/** A server whose keys are kept though its other stores are away, and what is kept. */
const serving = Effect.gen(function*() {
  const kept: Array<StoredResponse> = []
  const server = yield* serveWith(Layer.mock(Idempotency, {
    once: (_, operation) =>
      Effect.map(operation, (response) => {
        kept.push(response)
        return { response, replayed: false }
      })
  }))
  return { ...server, kept }
})

describe("P5: what is not kept under a key", () => {
  for (
    const [path, body] of [
      ["/profiles/ada", { profile: { name: "Ada" } }],
      ["/lists/news/subscriptions", { recipients: [{ recipientId: "ada" }] }]
    ] as const
  ) {
    it.effect(`POST ${path}: that the store is away, or each later call with the key would be told so`, () =>
      Effect.gen(function*() {
        const { call, kept, state } = yield* serving
        const post = call("POST", path, { body, headers: { "idempotency-key": "one" } })
        state.down = true
        const away = yield* post
        assert.strictEqual(away.status, 503)
        assert.match(away.headers.get("retry-after") ?? "", /^\d+$/)
        assert.isNull(away.headers.get("idempotent-replayed"))
        assert.deepStrictEqual(kept, [])
        state.down = false
        assert.isBelow((yield* post).status, 300)
        assert.lengthOf(kept, 1)
      }))
  }
})
