import type { Call } from "#layers/testing/History.ts"
import { type Facts, personOf, wasDisturbed } from "./Facts.ts"

/** I29: a recipient's messages are called for one at a time (P2), but for calls of an owner that has lost the shard. */
export const oneByOne = (facts: Facts): ReadonlyArray<string> => {
  const { calls } = facts.history
  const recipientOf = ({ messageId }: Call) => {
    const row = facts.rows.get(messageId)
    return row === undefined ? messageId : personOf(row)
  }
  return [...Map.groupBy(calls, recipientOf).values()].flatMap((own) =>
    own.flatMap((call, n) => {
      const meanwhile = own.slice(n + 1).find(({ calledAt }) => calledAt < (call.heardAt ?? Infinity))
      return meanwhile === undefined || wasDisturbed(facts, call)
        ? []
        : [
          `I29: call ${meanwhile.number} of ${meanwhile.messageId} began while call ${call.number} of ${call.messageId} was under way`
        ]
    })
  )
}
