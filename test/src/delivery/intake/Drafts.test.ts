import { MessageId } from "#schemas/MessageId.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Drafts from "#src/delivery/intake/Drafts.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const drafted = (length: number, to: ReadonlyArray<Recipient>, more: object = {}) =>
  Drafts.make({
    principal: { keyState: "published", scope: Scope.make(1) },
    requestId: MessageId.make(`1-00000001-${"0".repeat(24)}`),
    to,
    instructions: { content: { title: "t", body: "b".repeat(length) }, ...more },
    at: 1_000,
    shards: 64
  })

describe("Drafts", () => {
  it.effect.each(
    [[10, 100, true], [1_000_000, 1, true], [6_000_000, 1, true], [1_000_000, 100, false], [10, 101, false]] as const
  )(
    "a call of %s characters to %s recipients is stored with its messages: %s",
    ([length, recipients, isAtOnce]) =>
      Effect.gen(function*() {
        const { expansion, messages } = yield* drafted(
          length,
          Array.from({ length: recipients }, (_, n) => ({ user_id: `user ${n}` }))
        )
        assert.lengthOf(messages, isAtOnce ? recipients : 0)
        assert.strictEqual(expansion === undefined, isAtOnce)
        for (const { size } of messages) assert.approximately(size, length, 200)
      })
  )

  it.effect("messages of an array sort by their ids as they were named, whoever is named twice by the first time", () =>
    Effect.gen(function*() {
      const named = [9, 3, 3, 7, 1, 9, 0, 12, 11, 5].map((n) => ({ user_id: `user ${n}` }))
      const { messages } = yield* drafted(1, named)
      const sorted = [...messages].sort((a, b) => (a.id < b.id ? -1 : 1))
      assert.deepStrictEqual(
        sorted.map(({ recipientName }) => recipientName),
        [...new Set(named.map(({ user_id }) => user_id))]
      )
    }))

  it.effect("an older name of timeout is stored as timeout, under what is said by that name", () =>
    Effect.gen(function*() {
      const timeouts = { provider: 10_000, channel: 60_000, message: 120_000 }
      const { messages: [one] } = yield* drafted(1, [{ user_id: "ada" }], { timeouts })
      assert.deepStrictEqual(one?.instructions, { content: { title: "t", body: "b" }, timeout: timeouts })
      const { expansion } = yield* drafted(1, [{ list_id: "eng" }], {
        timeouts,
        timeout: { channel: 1, message: null }
      })
      assert.deepStrictEqual(expansion?.instructions, {
        content: { title: "t", body: "b" },
        timeout: { ...timeouts, channel: 1 }
      })
    }))

  it.effect("a recipient whose address is not whole is refused with what is missing of it", () =>
    Effect.gen(function*() {
      const of = (recipient: Recipient) => drafted(1, [{ user_id: "ada" }, recipient])
      const refused = (recipient: Recipient) => Effect.map(Effect.flip(of(recipient)), ({ detail }) => detail)
      assert.match(yield* refused({ slack: {} }), /^message\.to\[1\]\.slack: one of/)
      assert.match(yield* refused({ expo: {} }), /^message\.to\[1\]\.expo: Expected/)
      assert.match(yield* refused({}), /^message\.to\[1\]: one of user_id, /)
    }))
})
