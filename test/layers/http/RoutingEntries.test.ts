import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const entry = "Expected a channel, a provider's key, {channel}, {provider} or {method, channels}"

const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
  ["an empty channel", "", "[0]: Must not be empty"],
  ["a number", 5, `[0]: ${entry}`],
  ["an entry that names nothing", { zap: 1 }, `[0]: ${entry}`],
  ["a channel that is no text", { channel: 5 }, "[0].channel: Expected string"],
  ["a channel with wrong providers", { channel: "email", providers: "smtp" }, "[0].providers: Expected array | object"],
  [
    "a nested routing with a wrong method",
    { method: "any", channels: ["sms"] },
    "[0].method: Expected \"all\" | \"single\""
  ],
  [
    "a nested routing with a name and without a method",
    { name: "x", channels: ["sms"] },
    "[0].channels: Expected a method beside it"
  ],
  [
    "a wrong entry of a nested routing",
    { method: "all", channels: ["sms", { method: "all" }] },
    `[0].channels[1]: ${entry}`
  ]
]

describe("Entries of a routing", () => {
  it.effect("a channel's providers may be a list, and a map as the compatible service's own clients have it", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const settings = { if: null, metadata: { utm: {} }, override: {}, timeouts: 0 }
      for (const providers of [["smtp"], {}, { smtp: settings }, null]) {
        const channel = { channel: "email", config: {}, method: "all", providers, if: "data.x" }
        const routing = { method: "all", channels: [channel] }
        const sent = yield* call("POST", "/send", { body: message(undefined, { routing }) })
        const kept = yield* call("POST", "/routing-strategies", { body: { name: "a", routing } })
        assert.deepStrictEqual([sent.status, kept.status], [202, 201], JSON.stringify(providers))
        assert.deepStrictEqual(Reflect.get(Object(kept.body), "routing"), {
          method: "all",
          channels: [{ channel: "email", method: "all", providers, if: "data.x" }]
        })
      }
    }))

  it.effect("a provider's entry may have a name, as those clients have it", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const channels = [{ name: "smtp", config: {}, if: "data.x", metadata: { utm: {} } }]
      const routing = { method: "single", channels }
      const sent = yield* call("POST", "/send", { body: message(undefined, { routing }) })
      const kept = yield* call("POST", "/routing-strategies", { body: { name: "a", routing } })
      assert.strictEqual(sent.status, 202)
      assert.deepStrictEqual(Reflect.get(Object(kept.body), "routing"), {
        method: "single",
        channels: [{ name: "smtp", if: "data.x" }]
      })
    }))

  it.effect.each(wrong)(
    "%s is 400, in a sentence about the entry that was meant",
    ([, value, sentence]) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        const routing = { method: "single", channels: [value] }
        const sent = yield* call("POST", "/send", { body: message(undefined, { routing }) })
        const kept = yield* call("POST", "/routing-strategies", { body: { name: "a", routing } })
        const refusal = (root: string) => [400, {
          message: `${root}.channels${sentence}`,
          type: "invalid_request_error"
        }]
        assert.deepStrictEqual([sent.status, sent.body], refusal("message.routing"))
        assert.deepStrictEqual([kept.status, kept.body], refusal("routing"))
      })
  )
})
