import { Idempotency, type StillRunning, type StoredResponse } from "#src/access/Idempotency.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { message, serve, serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"

/** A server whose keys are kept though its other stores are away, and what is kept. */
const serving = Effect.gen(function*() {
  const kept: Array<StoredResponse> = []
  const server = yield* serveWith(Layer.mock(Idempotency, {
    find: () => Effect.succeedNone,
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

  it.effect("a duplicate that waited for a call which came to be 503 is told the same", () =>
    Effect.gen(function*() {
      const failures: Array<StillRunning | StoreUnavailable> = []
      // As the contract says: who waits for a call that fails, fails with it.
      const { call, state } = yield* serveWith(Layer.mock(Idempotency, {
        once: (_, operation) => {
          const [failure] = failures
          if (failure !== undefined) return Effect.fail(failure)
          return operation.pipe(
            Effect.map((response) => ({ response, replayed: false })),
            Effect.tapError((failure) => Effect.sync(() => failures.push(failure)))
          )
        }
      }))
      state.down = true
      const post = call("POST", "/profiles/ada", { body: { profile: {} }, headers: { "idempotency-key": "one" } })
      const [first, second] = [yield* post, yield* post]
      assert.lengthOf(failures, 1)
      assert.strictEqual(first.status, 503)
      assert.deepStrictEqual([second.status, second.body], [first.status, first.body])
      for (const { headers } of [first, second]) {
        assert.isNotNull(headers.get("retry-after"))
        assert.isNull(headers.get("idempotent-replayed"))
      }
    }))

  it.effect("nor where the journal could keep it: a message that cannot be read is sent again by the next call", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      yield* call("POST", "/send", { body: message() })
      const [id] = [...state.messages.keys()]
      const post = call("POST", `/messages/${id}/resend`, { headers: { "idempotency-key": "one" } })
      state.lost = 1
      assert.strictEqual((yield* post).status, 503)
      assert.strictEqual(state.keys.size, 0)
      assert.strictEqual((yield* post).status, 200)
      assert.strictEqual(state.keys.size, 1)
    }))
})

describe("P5: what is run once", () => {
  it.effect("also where the body, which nobody reads there, is no JSON", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      yield* call("POST", "/send", { body: message() })
      const [id] = [...state.messages.keys()]
      const post = call("POST", `/messages/${id}/resend`, { body: "{", headers: { "idempotency-key": "one" } })
      const answers = [yield* post, yield* post]
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200])
      assert.strictEqual(answers[1]?.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(state.messages.size, 2)
    }))

  it.effect("also where the key has spaces inside it", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      for (const [path, body] of [["/send", message()], ["/profiles/ada", { profile: {} }]] as const) {
        const post = call("POST", path, { body, headers: { "idempotency-key": "order 1042" } })
        const first = yield* post
        const second = yield* post
        assert.isBelow(first.status, 300)
        assert.deepStrictEqual([second.text, second.headers.get("idempotent-replayed")], [first.text, "true"])
      }
    }))

  it.effect("also under the header of a dry run, where there is none", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const headers = { "idempotency-key": "one", "tidings-dry-run": "true" }
      assert.strictEqual((yield* call("POST", "/messages/none/resend", { headers })).status, 404)
      assert.strictEqual((yield* call("POST", "/profiles/ada", { body: { profile: {} }, headers })).status, 200)
      assert.strictEqual(state.keys.size, 2)
    }))

  it.effect("the body's hash is stored", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const body = "{\"profile\":{}}"
      yield* call("POST", "/profiles/a", { body, headers: { "idempotency-key": "k" } })
      const hashes = [...state.keys.values()].map(({ key }) => key.bodyHash)
      assert.deepStrictEqual(hashes, [createHash("sha256").update(body).digest("hex")])
    }))
})
