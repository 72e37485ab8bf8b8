import type { Kind } from "#schemas/DeliveryError.ts"
import { start } from "#test/support/ScriptedSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { delivery, vendor } from "./Deliveries.ts"

/** What the server says to the recipient and to who has a copy, and what follows for the message. */
const replies: ReadonlyArray<readonly [recipient: string, copy: string, kind: Kind, isDead: boolean]> = [
  ["552 5.2.2 full", "550 5.1.1 no such user", "RecipientRejected", false],
  ["550 5.7.1 not from you", "550 5.1.1 no such user", "Misconfigured", false],
  ["550 5.1.1 no such user", "450 4.7.1 greylisted", "RecipientRejected", true],
  ["550 5.1.1 no such user", "550 5.7.1 not from you", "RecipientRejected", true],
  ["450 4.7.1 greylisted", "550 5.1.1 no such user", "RateLimited", false]
]

describe("copies of a mail over SMTP", () => {
  for (const extensions of [[], ["PIPELINING"]]) {
    for (const override of [{ cc: "carol@rcpt.test" }, { bcc: "carol@rcpt.test" }]) {
      const how = `${Object.keys(override).join()}${extensions.length > 0 ? " in one batch" : ""}`
      it.live(`the recipient's own reply decides where no one is accepted: ${how}`, () =>
        Effect.forEach(replies, ([recipient, copy, kind, isDead]) =>
          Effect.gen(function*() {
            const server = yield* start({
              extensions,
              cues: [
                { at: "rcpt", recipient: "bob@rcpt.test", act: { reply: recipient } },
                { at: "rcpt", recipient: "carol@rcpt.test", act: { reply: copy } }
              ]
            })
            const provider = yield* vendor(server.port)
            const error = yield* Effect.flip(provider.send(delivery({ override })))
            const invalidates = error._tag === "RecipientRejected" && error.invalidates === true
            assert.deepStrictEqual([error._tag, invalidates], [kind, isDead], `${recipient}; ${copy}`)
          }), { discard: true }))
    }
  }
})
