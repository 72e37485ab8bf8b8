import { BulkMessage } from "#schemas/Bulk.ts"
import * as Definition from "#src/delivery/bulk/Definition.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("the message of a bulk job", () => {
  it.effect("says content before template, and template before the one that event names", () =>
    Effect.gen(function*() {
      const content = { title: "Hello", body: "World" }
      for (
        const [message, expected] of [
          [{ event: "e" }, { template: "e", content: undefined }],
          [{ event: "e", template: "t" }, { template: "t", content: undefined }],
          [{ event: "e", template: "t", content }, { template: undefined, content }]
        ] as const
      ) {
        const made = yield* Definition.instructions(message)
        assert.deepInclude(made, expected)
        assert.strictEqual(made.metadata?.event, "e")
      }
      assert.strictEqual((yield* Effect.flip(Definition.instructions({ data: {} })))._tag, "SendRefused")
    }))

  it.effect("is a send's message in all else: what it says there stands", () =>
    Effect.gen(function*() {
      const message = {
        template: "t",
        data: { a: 1 },
        tenant_id: "acme",
        context: { tenant_id: "beta" },
        routing: { method: "all", channels: ["sms"] },
        metadata: { event: "own", tags: ["a", "b"], trace_id: "trace", utm: { source: "mail" } },
        preferences: { subscription_topic_id: "news" },
        delay: { duration: 60_000 },
        expiry: { expires_in: 1 },
        timeout: { message: 5 }
      } as const
      const { brand_id: brand, channels, content, providers, ...made } = yield* Definition.instructions({
        ...message,
        event: "e",
        locale: { de: {} }
      })
      assert.deepStrictEqual(made, message)
      assert.deepStrictEqual([brand, content, channels, providers], [undefined, undefined, {}, {}])
    }))

  it("has a language that is one: each user's message repeats it, and pages of these are held in memory", () => {
    const isMessage = Schema.is(BulkMessage)
    for (const locale of ["de", "zh_Hant_TW", { de: {} }, null]) assert.isTrue(isMessage({ locale }), String(locale))
    for (const locale of ["", "de ", "d".repeat(1_000_000), 5]) assert.isFalse(isMessage({ locale }))
  })

  it.effect("takes brand and override of the older form, under what a message says itself", () =>
    Effect.gen(function*() {
      const made = yield* Definition.instructions({
        event: "e",
        brand: "old",
        override: { sendgrid: { config: { a: 1 } }, channel: { email: { subject: "old" }, sms: { body: "old" } } },
        channels: {
          email: { override: { subject: "new" } },
          sms: { if: "true" },
          push: { if: "true" },
          constructor: { if: "false" }
        }
      })
      assert.strictEqual(made.brand_id, "old")
      assert.strictEqual(
        (yield* Definition.instructions({ event: "e", brand: "old", brand_id: "new" })).brand_id,
        "new"
      )
      assert.deepStrictEqual(made.providers, { sendgrid: { override: { config: { a: 1 } } } })
      assert.deepStrictEqual(made.channels, {
        email: { override: { subject: "new" } },
        sms: { override: { body: "old" }, if: "true" },
        push: { if: "true" },
        constructor: { if: "false" }
      })
      const { detail } = yield* Effect.flip(
        Definition.instructions({ event: "e", override: { channel: { email: 1 } } })
      )
      assert.match(detail, /message\.override\.channel/)
    }))

  it.effect("may have the older name of timeout, like a send's", () =>
    Effect.gen(function*() {
      const message = yield* Schema.decodeUnknownEffect(BulkMessage)({ event: "e", timeouts: { provider: 10_000 } })
      const made = yield* Definition.instructions(message)
      assert.deepStrictEqual([made.timeout, "timeouts" in made], [{ provider: 10_000 }, false])
    }))

  it.effect("ignores what the published client's own example overrides, which is no provider's request", () =>
    Effect.gen(function*() {
      const message = { event: "event", override: { foo: "bar", nothing: null, smtp: { subject: "old" } } }
      const made = yield* Definition.instructions(yield* Schema.decodeUnknownEffect(BulkMessage)(message))
      assert.deepStrictEqual(made.providers, { smtp: { override: { subject: "old" } } })
    }))
})
