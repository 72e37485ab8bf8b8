import type { Profile } from "#schemas/Profile.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Explain from "#src/delivery/Explain.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const vendor = (key: string, channel: string, field: string): Vendor => ({
  _tag: "Vendor",
  key,
  names: [`the ${key}`],
  channel,
  reaches: (profile) => typeof profile[field] === "string" && profile[field] !== "" && profile[field] !== "odd",
  send: () => Effect.succeed({ reference: undefined })
})

const providers = [vendor("mail", "email", "email"), vendor("text", "sms", "phone_number")]

const everybody: Profile = { email: "ada@example.com", phone_number: "+4930901820" }

const explained = (
  instructions: Instructions,
  faults: ReadonlyArray<Partial<Explain.Fault>> = [],
  { profile }: { readonly profile: Profile | undefined } = { profile: everybody }
) =>
  Explain.explain({
    instructions,
    profile,
    providers,
    faults: faults.map((fault) => ({
      provider: "text",
      outcome: "Unavailable",
      times: 1,
      took: 0,
      retryAfter: undefined,
      ...fault
    })),
    waits: RetryPolicy.longWaits,
    messageTimeout: RetryPolicy.messageTimeout
  })

const through = (...channels: ReadonlyArray<string>): Instructions => ({ routing: { method: "single", channels } })
const both: Instructions = { routing: { method: "all", channels: ["sms", "email"] } }

describe("Explain: what would become of a message", () => {
  it("one that no call would be made for ends as a run would end it", () => {
    const ends = (instructions: Instructions, profile: Profile | undefined) => {
      const { calls, plan, reason, status } = explained(instructions, [], { profile })
      assert.deepStrictEqual([calls, plan], [[], undefined])
      return [status, reason]
    }
    assert.deepStrictEqual(ends(through("email"), {}), ["UNROUTABLE", "NO_CHANNELS"])
    assert.deepStrictEqual(ends(through("gone"), everybody), ["UNROUTABLE", "PROVIDER_ERROR"])
    assert.deepStrictEqual(ends(through("email"), { email: "odd" }), ["UNDELIVERABLE", "BOUNCED"])
    const channels = { email: { if: "data.yes" } }
    assert.deepStrictEqual(ends({ ...through("email"), channels }, undefined), ["FILTERED", "FILTERED"])
  })

  it("without a profile everybody is reached, and with one who has the address", () => {
    const channels = (profile: Profile | undefined) =>
      explained(both, [], { profile }).calls.map(({ channel }) => channel)
    assert.deepStrictEqual(channels(undefined), ["sms", "email"])
    assert.deepStrictEqual(channels({ email: "ada@example.com" }), ["email"])
  })

  it("a fault is as many calls' as it says, of any of its provider's names, and of several faults one after the other", () => {
    const outcomes = (...faults: ReadonlyArray<Partial<Explain.Fault>>) =>
      explained(through("sms"), faults).calls.map(({ outcome }) => outcome)
    assert.deepStrictEqual(outcomes({ times: 2 }), ["Unavailable", "Unavailable", "Accepted"])
    assert.deepStrictEqual(outcomes({ provider: "the text", outcome: "Unknown" }, { outcome: "RateLimited" }), [
      "Unknown",
      "RateLimited",
      "Accepted"
    ])
    assert.deepStrictEqual(outcomes({ provider: "mail", times: 9 }), ["Accepted"])
  })

  it("a call is repeated no sooner than its provider asked for, counted from the call's end", () => {
    const [first, second] = explained(through("sms"), [{ outcome: "RateLimited", took: 7_000, retryAfter: 60_000 }])
      .calls
    assert.deepStrictEqual([first?.at, first?.took, second?.at], [0, 7_000, 67_000])
  })

  it("a fault is its provider's own where another channel has one of the same key", () => {
    const twins = [vendor("twin", "email", "email"), vendor("twin", "sms", "phone_number")]
    const [mail, text] = twins.map((one) => ({ ...one, names: [`the ${one.channel} twin`] }))
    const fault = { outcome: "Misconfigured" as const, times: 1, took: 0, retryAfter: undefined }
    const expected = { "the email twin": ["Accepted", "Misconfigured"], "the sms twin": ["Misconfigured", "Accepted"] }
    for (const [provider, outcomes] of Object.entries(expected)) {
      const { calls } = Explain.explain({
        instructions: both,
        profile: everybody,
        providers: [mail, text].flatMap((one) => one ?? []),
        faults: [{ ...fault, provider }],
        waits: RetryPolicy.longWaits,
        messageTimeout: RetryPolicy.messageTimeout
      })
      assert.deepStrictEqual(calls.map(({ outcome }): string => outcome), outcomes)
    }
  })

  it("the calls are numbered, and one begins when the one before it has ended; after one that nobody knows of it may be a duplicate", () => {
    const told = (outcome: Explain.Fault["outcome"]) =>
      explained(through("sms", "email"), [{ outcome, took: 7_000 }]).calls.map((call) => [
        call.attempt,
        call.channel,
        call.at >= 7_000,
        call.possibleDuplicate
      ])
    assert.deepStrictEqual(told("RecipientRejected"), [[1, "sms", false, false], [2, "email", true, false]])
    assert.deepStrictEqual(told("Unavailable"), [[1, "sms", false, false], [2, "sms", true, false]])
    assert.deepStrictEqual(told("Unknown"), [[1, "sms", false, false], [2, "sms", true, true]])
    const over = explained(through("sms"), [{ outcome: "RecipientRejected", took: 7_000 }])
    assert.deepStrictEqual([over.status, over.at], ["UNDELIVERABLE", 7_000])
  })

  it("the message ends at its deadline: its own, else everybody's", () => {
    const dead = [{ times: 1_000 }]
    const own = explained({ ...through("sms"), timeout: { message: 60_000 } }, dead)
    assert.deepStrictEqual([own.status, own.reason], ["UNDELIVERABLE", "FAILED"])
    assert.isAtMost(own.calls.at(-1)?.at ?? Infinity, 60_000)
    const everybodys = explained(through("sms"), dead)
    assert.isAbove(everybodys.calls.length, own.calls.length)
    assert.deepStrictEqual(explained({ ...through("sms"), timeout: { message: 0 } }, dead), everybodys)
  })
})
