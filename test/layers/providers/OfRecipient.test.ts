import type { Row } from "#test/contracts/VendorRow.ts"
import * as VendorRow from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const ticket = (error: string) => json(200, { data: { status: "error", details: { error } } })

/** Discord's answer to what it limits of one route, which is a channel's or all of the bot's. */
const limited = { message: "You are being rate limited.", retry_after: 0.53, global: false }
const channelOf = (row: Row): Row => ({ ...row, profile: { discord: { channel_id: "319674150115610528" } } })
const opening = (row: Row): Row => ({ ...row, before: { "/api/v10/users/@me/channels": json(429, limited) } })

const slackLimited = json(429, { ok: false, error: "ratelimited" })
const lookedUp = (row: Row): Row => ({ ...row, before: { "/users.lookupByEmail": slackLimited } })

/** Answers that ask for a slower pace, and whether they ask for it of one recipient's messages only. */
const answers: ReadonlyArray<readonly [name: string, row: Row, answer: Answer, ofRecipient: boolean]> = [
  ["apn TooManyRequests to a device", Push.apn, json(429, { reason: "TooManyRequests" }), true],
  ["apn TooManyProviderTokenUpdates", Push.apn, json(429, { reason: "TooManyProviderTokenUpdates" }), false],
  ["expo MessageRateExceeded to a device", Push.expo, ticket("MessageRateExceeded"), true],
  ["expo TOO_MANY_REQUESTS", Push.expo, json(429, { errors: [{ code: "TOO_MANY_REQUESTS" }] }), false],
  ["discord slow mode of a channel", Chat.discord, json(429, { code: 20016, message: "slow mode" }), true],
  ["discord write rate of a channel", Chat.discord, json(429, { code: 20028, message: "write rate" }), true],
  ["discord global", Chat.discord, json(429, { message: "limited", retry_after: 64, global: true }), false],
  ["discord posts to a channel", channelOf(Chat.discord), json(429, limited), true],
  [
    "discord posts to a channel, with the code of none",
    channelOf(Chat.discord),
    json(429, { ...limited, code: 0 }),
    true
  ],
  ["discord too many new channels", channelOf(Chat.discord), json(429, { ...limited, code: 40003 }), false],
  ["discord opening of direct channels", opening(Chat.discord), json(200, {}), false],
  ["twilio between two numbers", Sms.twilio, json(429, { code: 14107 }), true],
  ["twilio queue of a sender", Sms.twilio, json(429, { code: 21611 }), false],
  ["slack posts to a channel", Chat.slack, slackLimited, true],
  ["slack look-ups of a workspace", lookedUp(Chat.slack), json(200, {}), false],
  ["slack messages of a workspace", Chat.slack, json(200, { ok: false, error: "message_limit_exceeded" }), false]
]

describe("A vendor that asks for a slower pace", () => {
  for (const [name, row, answer, ofRecipient] of answers) {
    it.live(`${name}: ${ofRecipient ? "only this recipient waits" : "all wait"}`, () =>
      Effect.gen(function*() {
        const { result } = yield* VendorRow.send(row, answer)
        const error = Result.isFailure(result) ? result.failure : undefined
        assert.strictEqual(error?._tag, "RateLimited")
        assert.strictEqual(error !== undefined && "ofRecipient" in error && error.ofRecipient === true, ofRecipient)
      }))
  }
})
