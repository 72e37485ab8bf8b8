import type { Vendor } from "#src/delivery/Provider.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const vendor: Vendor = {
  _tag: "Vendor",
  key: "smtp",
  names: ["mail", "pc_1", "smtp"],
  channel: "email",
  reaches: () => true,
  send: () => Effect.succeed({ reference: undefined })
}

const routing = { method: "single" as const, channels: [] }

describe("Settings of channels and providers", () => {
  it("an override of the message goes over the strategy's by member, and a timeout beside its other one", () => {
    const { channels, providers } = Settings.routed(
      {
        channels: { email: { override: { subject: "now", headers: { b: "2" } }, timeouts: { provider: 5 } } },
        providers: { smtp: { override: { config: { port: 25 }, cc: ["b@example.com"] } }, sendgrid: { override: null } }
      },
      {
        channels: { email: { override: { headers: { a: "1" }, from: "a@example.com" }, timeouts: { channel: 9 } } },
        providers: {
          smtp: { override: { config: { secure: true }, cc: ["a@example.com", "c@example.com"] } },
          sendgrid: { override: { body: {} } }
        },
        routing: { method: "single", channels: [] }
      }
    )
    assert.deepStrictEqual(channels?.["email"], {
      override: { headers: { a: "1", b: "2" }, from: "a@example.com", subject: "now" },
      timeouts: { channel: 9, provider: 5 }
    })
    assert.deepStrictEqual(providers, {
      smtp: { override: { config: { secure: true, port: 25 }, cc: ["b@example.com"] } },
      sendgrid: { override: { body: {} } }
    })
  })

  it("a time of the message replaces the strategy's, in whichever spelling either has it (api.md 2.3)", () => {
    const timesOf = (one: object, other: object) => {
      const { channels, providers } = Settings.routed({ providers: { smtp: other } }, {
        routing,
        providers: { smtp: one }
      })
      assert.deepStrictEqual(channels, {})
      return providers?.["smtp"]
    }
    for (const name of ["timeout", "timeouts"]) {
      for (const other of ["timeout", "timeouts"]) {
        assert.deepStrictEqual(timesOf({ [name]: 9 }, { [other]: 2 }), { timeouts: 2 })
        assert.deepStrictEqual(timesOf({ [name]: 9 }, { [other]: 0 }), { timeouts: 9 }, "0 counts as left out")
      }
    }
    const ofChannel = (one: object, other: object) =>
      Settings.routed({ channels: { sms: other } }, { routing, channels: { sms: one } }).channels?.["sms"]
    assert.deepStrictEqual(ofChannel({ timeouts: { channel: 9, provider: 8 } }, { timeout: 2 }), {
      timeouts: { channel: 2, provider: 8 }
    })
    assert.deepStrictEqual(ofChannel({ timeout: 9 }, { timeouts: { channel: 2 } }), { timeouts: { channel: 2 } })
    assert.deepStrictEqual(ofChannel({ timeout: 9 }, { timeouts: { provider: 2 } }), {
      timeouts: { channel: 9, provider: 2 }
    })
    assert.deepStrictEqual(ofChannel({}, { brand_id: "b" }), { brand_id: "b" })
  })

  it("what is said of a provider by several of its names holds together, and the more special name wins", () => {
    const of = (providers: Parameters<typeof Settings.ofProvider>[0]["providers"]) =>
      Settings.ofProvider({ providers }, vendor)
    const smtp = { override: { reply_to: "a@example.com", headers: { "x-a": "1" } }, timeouts: 9, if: "a" }
    const mail = { override: { headers: { "x-b": "2" } }, timeout: 2 }
    assert.deepStrictEqual(of({ mail, smtp }), {
      override: { reply_to: "a@example.com", headers: { "x-a": "1", "x-b": "2" } },
      timeouts: 2,
      if: "a"
    })
    assert.deepStrictEqual(of({ mail, pc_1: { if: "b" }, smtp: { if: "a" } })?.if, "b")
    assert.deepStrictEqual([of({ smtp }), of({ mail })], [smtp, mail])
    assert.deepStrictEqual([of({ sendgrid: smtp }), of(null), of({})], [undefined, undefined, undefined])
  })
})
