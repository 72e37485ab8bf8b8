import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Drafts from "#src/delivery/intake/Drafts.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const drafted = (length: number, recipients: number) =>
  Drafts.make({
    principal: { keyState: "published", scope: Scope.make(1) },
    requestId: MessageId.make(`1-00000001-${"0".repeat(24)}`),
    to: Array.from({ length: recipients }, (_, n) => ({ user_id: `user ${n}` })),
    instructions: { content: { title: "t", body: "b".repeat(length) } },
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
        const { expansion, messages } = yield* drafted(length, recipients)
        assert.lengthOf(messages, isAtOnce ? recipients : 0)
        assert.strictEqual(expansion === undefined, isAtOnce)
        for (const { size } of messages) assert.approximately(size, length, 200)
      })
  )
})
