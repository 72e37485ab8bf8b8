import { delivery, outcomeOf, play, replying, type Row, send } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import { resend } from "#test/layers/providers/rows/Resend.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import type * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

/** The outcome where the call before the sending one gets this reply. */
const beforeThat = (row: Row, path: string, reply: ScriptedVendor.Answer) =>
  Effect.map(send({ ...row, before: { ...row.before, [path]: reply } }, row.success), ({ result, seen }) => [
    outcomeOf(result),
    seen.some((one) => one.path === row.request.path)
  ])

describe("vendors", () => {
  it.live("P4: a failure before the sending call is never unknown, and sends nothing", () =>
    Effect.gen(function*() {
      const garbage = { status: 200, body: "<html>" }
      const found = yield* Effect.all([
        beforeThat(Push.firebaseFcm, "/token", { status: 400, body: "{\"error\":\"invalid_grant\"}" }),
        beforeThat(Push.firebaseFcm, "/token", { status: 503 }),
        beforeThat(Push.firebaseFcm, "/token", { status: 408 }),
        beforeThat(Push.firebaseFcm, "/token", garbage),
        beforeThat(Chat.msTeams, "/login", { status: 401 }),
        beforeThat(Chat.msTeams, "/v3/conversations", { status: 500 }),
        beforeThat(Chat.msTeams, "/v3/conversations", garbage),
        beforeThat(Chat.slack, "/users.lookupByEmail", {
          status: 200,
          body: "{\"ok\":false,\"error\":\"users_not_found\"}"
        }),
        beforeThat(Chat.slack, "/users.lookupByEmail", {
          status: 200,
          body: "{\"ok\":false,\"error\":\"internal_error\"}"
        }),
        beforeThat(Chat.slack, "/users.lookupByEmail", garbage),
        beforeThat(Chat.discord, "/api/v10/users/@me/channels", { status: 400, body: "{\"code\":50007}" }),
        beforeThat(Chat.discord, "/api/v10/users/@me/channels", { status: 200, body: "{\"id\":\"../x\"}" })
      ])
      assert.deepStrictEqual(found, [
        ["Misconfigured", false],
        ["Unavailable", false],
        ["Unavailable", false],
        ["Unavailable", false],
        ["Misconfigured", false],
        ["Unavailable", false],
        ["Unavailable", false],
        ["RecipientRejected", false],
        ["Unavailable", false],
        ["Unavailable", false],
        ["RecipientRejected", false],
        ["Unavailable", false]
      ])
    }))

  it.live("the wait that a vendor asks for before the sending call is kept", () =>
    Effect.gen(function*() {
      const slow = { status: 429, headers: { "retry-after": "30" } }
      const waits = yield* Effect.forEach(
        [
          [Chat.slack, "/users.lookupByEmail"],
          [Chat.discord, "/api/v10/users/@me/channels"],
          [Chat.msTeams, "/v3/conversations"],
          [Push.firebaseFcm, "/token"]
        ] as const,
        ([row, path]) =>
          Effect.map(send({ ...row, before: { ...row.before, [path]: slow } }, row.success), ({ result }) => {
            assert.isTrue(Result.isFailure(result))
            return Result.isFailure(result) && "retryAfter" in result.failure ? result.failure.retryAfter : undefined
          })
      )
      assert.deepStrictEqual(waits, [30_000, 30_000, 30_000, 30_000])
    }))

  it.live("a configuration's alias may be any text", () =>
    Effect.gen(function*() {
      for (
        const [row, alias] of [[resend, "マーケ"], [Sms.twilio, "büro ☎"], [resend, "x".repeat(300)]] as const
      ) {
        const idempotencyToken = `1-67890abc-0123456789abcdef01234567:x:${alias}`
        const sent = Effect.map(
          send(row, row.success, { more: { idempotencyToken } }),
          ({ result, seen: [request] }) =>
            [
              outcomeOf(result),
              request?.headers["idempotency-key"] ?? request?.headers["i-twilio-idempotency-token"] ?? ""
            ] as const
        )
        const [[outcome, first], [, again]] = yield* Effect.all([sent, sent])
        assert.strictEqual(outcome, "Accepted", alias)
        assert.match(first, /^[\x21-\x7e]{1,256}$/)
        assert.strictEqual(first, again)
      }
    }))

  it.live("a number that is none is refused before anything is sent", () =>
    Effect.forEach(
      [Sms.twilio, Sms.vonage],
      Effect.fnUntraced(function*(row) {
        for (
          const phone_number of ["4155552671", "+1415", "+1415555267a", "+14155552671,+14155552672", "tel:+14155552671"]
        ) {
          const { result, seen } = yield* send(row, row.success, { more: { profile: { phone_number } } })
          assert.deepStrictEqual([outcomeOf(result), seen.length], ["RecipientRejected", 0], phone_number)
        }
      })
    ))

  it.live("Twilio wants a sender, and sends by a service where it is given", () =>
    Effect.gen(function*() {
      const { from: _, ...settings } = Sms.twilio.settings
      const none = yield* send({ ...Sms.twilio, settings }, Sms.twilio.success)
      assert.strictEqual(outcomeOf(none.result), "Misconfigured")
      const service = `MG${"0".repeat(32)}`
      const some = yield* send(
        { ...Sms.twilio, settings: { ...settings, messaging_service_sid: service } },
        Sms.twilio.success
      )
      assert.strictEqual(new URLSearchParams(some.seen[0]?.body).get("MessagingServiceSid"), service)
    }))

  it.live("messages sent at once keep their own requests", () =>
    Effect.gen(function*() {
      const { server, vendor } = yield* play(Sms.twilio, replying(Sms.twilio))
      const numbers = Array.from({ length: 40 }, (_, index) => `+141555520${10 + index}`)
      yield* Effect.forEach(
        numbers,
        (phone_number) => vendor.send(delivery(Sms.twilio, { profile: { phone_number } })),
        {
          concurrency: "unbounded"
        }
      )
      assert.sameMembers(server.seen.map(({ body }) => new URLSearchParams(body).get("To") ?? ""), numbers)
    }).pipe(Effect.scoped))
})
