import * as Faults from "#layers/testing/Faults.ts"
import type { Cue } from "#layers/testing/Cue.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const broken: Cue = { _tag: "Lose", after: 20, taken: true, proved: false }
const taken: Cue = { _tag: "Accept", after: 20 }
const invalid: Cue = { _tag: "Refuse", after: 20, kind: "RecipientRejected", retryAfter: null }

/** In flight when it bounces. */
const slow = (cue: Cue): Cue => ({ ...cue, after: 3_000 })

/** A text that bounces after a second, whatever comes of its call; then a mail, if it is `taken`. */
const live = (channels: ReadonlyArray<string>, taken: boolean, text: Cue = broken) =>
  Simulation.run(
    1,
    Effect.fnUntraced(function*(world) {
      yield* world.send({
        to: { email: "ada@example.com", phone_number: "+15550100001" },
        content: { title: "Hello", body: "World" },
        routing: { method: "single", channels }
      })
      yield* Effect.sleep("1 second")
      const [text] = world.calls
      if (text !== undefined) yield* world.report(text, "Bounce")
    }),
    {
      nodes: 1,
      faults: Faults.none,
      vendors: [
        { key: "text", channel: "sms", address: "phone_number", script: [text] },
        { key: "mail", channel: "email", address: "email", script: taken ? [] : [invalid] }
      ]
    }
  )

const end = (channels: ReadonlyArray<string>, taken: boolean, text?: Cue) => {
  const { calls, commits, messages: [message] } = live(channels, taken, text)
  const statuses = [...new Set(commits.flatMap(({ after }) => after ?? []))]
  return { statuses, reason: message?.reason, calls: calls.map(({ provider }) => provider) }
}

describe("A bounce of a call whose outcome is unknown", () => {
  it("gives the next channel its turn, and the message is what becomes of that", () => {
    assert.deepStrictEqual(end(["sms", "email"], true), {
      statuses: ["ENQUEUED", "ROUTED", "SENT"],
      reason: undefined,
      calls: ["text", "mail"]
    })
    assert.deepStrictEqual(end(["sms", "email"], false), {
      statuses: ["ENQUEUED", "ROUTED", "UNDELIVERABLE"],
      reason: "BOUNCED",
      calls: ["text", "mail"]
    })
  })

  it("ends the message where no channel is left", () => {
    assert.deepStrictEqual(end(["sms"], true), {
      statuses: ["ENQUEUED", "ROUTED", "UNDELIVERABLE"],
      reason: "BOUNCED",
      calls: ["text"]
    })
    assert.strictEqual(live(["sms"], true).messages[0]?.error, "The message bounced")
  })

  it("is not waited out: what it leads to begins at once", () => {
    for (const channels of [["sms"], ["sms", "email"]]) {
      const { commits } = live(channels, true)
      const waitedFor = commits.find(({ attempt }) => attempt?.state === "unknown")?.dueAt ?? 0
      assert.isBelow(commits.at(-1)?.wall ?? Infinity, waitedFor)
    }
  })
})

describe("A bounce that overtakes the answer of its call", () => {
  for (const cue of [taken, broken]) {
    it(`${cue._tag}: gives the next channel its turn, and the message is what becomes of that`, () => {
      const sent = cue === taken ? ["SENT" as const] : []
      assert.deepStrictEqual(end(["sms", "email"], true, slow(cue)), {
        statuses: ["ENQUEUED", "ROUTED", "SENT"],
        reason: undefined,
        calls: ["text", "mail"]
      })
      for (const channels of [["sms"], ["sms", "email"]]) {
        assert.deepStrictEqual(end(channels, false, slow(cue)), {
          statuses: ["ENQUEUED", "ROUTED", ...sent, "UNDELIVERABLE"],
          reason: "BOUNCED",
          calls: channels.map((channel) => channel === "sms" ? "text" : "mail")
        })
      }
    })
  }
})
