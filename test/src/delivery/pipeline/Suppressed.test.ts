import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { SuppressionReason } from "#schemas/Suppression.ts"
import { candidates } from "#src/delivery/attempts/Plan.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

/** Calls the address in this field, unless an override names another. */
const calling = (key: string, channel: string, field: string): Vendor => ({
  ...Fake.nothing(key, channel),
  reaches: (profile) => typeof profile[field] === "string",
  addressOf: (profile, override) => {
    const address = override["to"] ?? profile[field]
    return typeof address === "string" ? address : undefined
  }
})

const providers = [
  calling("smtp", "email", "email"),
  calling("twilio", "sms", "phone_number"),
  Fake.nothing("inbox", "inbox")
]

const stores = Layer.mergeAll(
  Stores.layer,
  Fake.layer(providers),
  Layer.mock(DeviceTokens, { reachable: () => Effect.succeed([]) })
)

const ada = { user_id: "ada", email: "Ada@Example.com", phone_number: "+49 151 12345678" }
const mail = { channel: "email", address: "ada@example.com" } as const
const phone = { channel: "sms", address: "+4915112345678" } as const

const through = (method: "all" | "single", ...channels: ReadonlyArray<string>): Instructions => ({
  routing: { method, channels }
})

const start = Effect.gen(function*() {
  const world = yield* Fixture.world
  const { decide } = yield* Stages.make
  const suppressions = yield* Suppressions
  const suppress = (one: typeof mail | typeof phone, reason: SuppressionReason) =>
    suppressions.add(world.scope, [{ ...one, reason, provider: undefined, detail: undefined }])
  /** The channels that the message goes through and those that are left out, or how it ends. */
  const sent = (more: Instructions, recipient: Recipient = ada, attempts: OpenMessage["attempts"] = []) =>
    decide({
      ...Fixture.message(world),
      recipient,
      attempts,
      instructions: { content: { title: "t", body: "b" }, ...more }
    }).pipe(
      Effect.map(({ plan, suppressed }) => ({
        channels: candidates(plan).map(({ channel }) => channel),
        without: suppressed.map(({ channel, reason }) => `${channel} ${reason}`)
      })),
      Effect.catchTag("Refusal", ({ detail, reason, suppressed, type }) =>
        Effect.succeed({
          refused: [type, reason, detail],
          without: suppressed?.map(({ channel, reason }) => `${channel} ${reason}`)
        }))
    )
  return { ...world, decide, suppress, sent }
})

describe("Suppressed", () => {
  it.effect("the next channel of `single` has the message, and `all` goes without it", () =>
    Effect.gen(function*() {
      const { sent, suppress } = yield* start
      const without = ["email BOUNCED"]
      assert.deepStrictEqual(yield* sent(through("single", "email", "sms")), {
        channels: ["email", "sms"],
        without: []
      })
      yield* suppress(mail, "BOUNCED")
      assert.deepStrictEqual(yield* sent(through("single", "email", "sms")), { channels: ["sms"], without })
      assert.deepStrictEqual(yield* sent(through("all", "email", "sms", "inbox")), {
        channels: ["sms", "inbox"],
        without
      })
      assert.deepStrictEqual(yield* sent({}), { channels: ["sms", "inbox"], without }, "any channel")
      assert.deepStrictEqual(
        yield* sent(through("all", "sms")),
        { channels: ["sms"], without: [] },
        "mail is not asked for"
      )
    }).pipe(Effect.provide(stores)))

  it.effect("a message of which nothing is left is UNDELIVERABLE, for a reason without the address", () =>
    Effect.gen(function*() {
      const ends = {
        BOUNCED: ["BOUNCED", "What was sent to the recipient's address for email has bounced"],
        MANUAL: ["UNSUBSCRIBED", "The recipient's address for email is suppressed"],
        UNSUBSCRIBED: ["UNSUBSCRIBED", "The recipient has unsubscribed the address for email"],
        COMPLAINED: ["UNSUBSCRIBED", "The recipient has complained of what was sent to the address for email"]
      } as const
      for (const reason of ["BOUNCED", "MANUAL", "UNSUBSCRIBED", "COMPLAINED"] as const) {
        const { sent, suppress } = yield* start
        yield* suppress(mail, reason)
        const refused = ["UNDELIVERABLE", ...ends[reason]]
        assert.deepStrictEqual(yield* sent(through("single", "email")), { refused, without: [`email ${reason}`] })
        yield* suppress(phone, "MANUAL")
        const both = { refused, without: [`email ${reason}`, "sms MANUAL"] }
        assert.deepStrictEqual(yield* sent(through("all", "email", "sms")), both)
      }
    }).pipe(Effect.provide(stores)))

  it.effect("what else leaves a message nowhere to go is told as before", () =>
    Effect.gen(function*() {
      const { sent, suppress } = yield* start
      yield* suppress(mail, "COMPLAINED")
      const filtered = yield* sent({ ...through("single", "email"), channels: { email: { if: "data.off" } } })
      assert.deepInclude(filtered, { without: undefined })
      const conditional = {
        ...through("all", "email", "sms"),
        channels: { email: { if: "data.off" } }
      }
      assert.deepStrictEqual(yield* sent(conditional), { channels: ["sms"], without: [] }, "left out by its condition")
      const unaddressed = yield* sent(through("single", "email", "sms"), { user_id: "bob" })
      assert.deepInclude(unaddressed, { without: undefined })
    }).pipe(Effect.provide(stores)))

  it.effect("a message that an override sends elsewhere goes there", () =>
    Effect.gen(function*() {
      const { sent, suppress } = yield* start
      yield* suppress(mail, "COMPLAINED")
      const elsewhere = { channels: { email: { override: { to: "bob@example.com" } } } }
      const found = yield* sent({ ...through("single", "email"), ...elsewhere })
      assert.deepStrictEqual(found, { channels: ["email"], without: [] })
    }).pipe(Effect.provide(stores)))

  it.effect("a channel in which the message may have arrived stays; one in which it was only refused does not", () =>
    Effect.gen(function*() {
      const { sent, suppress } = yield* start
      yield* suppress(mail, "BOUNCED")
      for (const state of ["intent", "accepted", "unknown", "rejected"] as const) {
        const attempts = [Fixture.attempt(1, state, { provider: "smtp" })]
        const { channels } = { channels: [], ...(yield* sent(through("single", "email", "sms"), ada, attempts)) }
        assert.deepStrictEqual(channels, state === "rejected" ? ["sms"] : ["email", "sms"], state)
        const texted = [Fixture.attempt(1, state, { channel: "sms", provider: "twilio" })]
        assert.deepInclude(yield* sent(through("single", "email", "sms"), ada, texted), { channels: ["sms"] }, state)
      }
    }).pipe(Effect.provide(stores)))

  it.effect("nothing is asked for a message that reaches no such address", () =>
    Effect.gen(function*() {
      const { sent } = yield* start
      const plain = { user_id: "ada" }
      assert.deepInclude(yield* sent(through("single", "inbox")), { channels: ["inbox"] })
      assert.deepInclude(yield* sent({}, plain), { channels: ["inbox"] })
      assert.deepInclude(yield* sent({}, { ...plain, email: "no address" }), { without: [] })
    }).pipe(
      Effect.provide(Layer.mergeAll(stores, Layer.mock(Suppressions, { reason: () => Effect.die("asked") })))
    ))

  it.effect("a provider that calls no addresses of its own asks nothing: nor does a bench's", () =>
    Effect.gen(function*() {
      const { sent } = yield* start
      assert.deepInclude(yield* sent(through("single", "email")), { channels: ["email"] })
    }).pipe(
      Effect.provide(Layer.mergeAll(
        Stores.layer,
        Fake.layer([Fake.nothing("null", "email")]),
        Layer.mock(Suppressions, { reason: () => Effect.die("asked") })
      ))
    ))

  it.effect("P1: a store that is away is waited for", () => {
    let asked = 0
    const away = Effect.suspend(() =>
      ++asked < 3 ? Effect.fail(new StoreUnavailable({ cause: "away" })) : Effect.succeed("BOUNCED" as const)
    )
    return Effect.gen(function*() {
      const { sent } = yield* start
      const waiting = yield* Effect.forkChild(sent(through("single", "email", "sms"), { email: "ada@example.com" }))
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* Fiber.join(waiting), { without: ["email BOUNCED"] })
    }).pipe(Effect.provide(Layer.mergeAll(stores, Layer.mock(Suppressions, { reason: () => away }))))
  })
})
