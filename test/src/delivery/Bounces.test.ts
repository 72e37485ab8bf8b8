import * as Faults from "#layers/testing/Faults.ts"
import type { Cue } from "#layers/testing/Cue.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const broken: Cue = { _tag: "Lose", after: 20, taken: true, proved: false }
const invalid: Cue = { _tag: "Refuse", after: 20, kind: "RecipientRejected", retryAfter: null }

/** A text of which nobody knows whether it went out, until it bounces; then a mail, if it is `taken`. */
const live = (channels: ReadonlyArray<string>, taken: boolean) =>
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
        { key: "text", channel: "sms", address: "phone_number", script: [broken] },
        { key: "mail", channel: "email", address: "email", script: taken ? [] : [invalid] }
      ]
    }
  )

const end = (channels: ReadonlyArray<string>, taken: boolean) => {
  const { calls, commits, messages: [message] } = live(channels, taken)
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
})
