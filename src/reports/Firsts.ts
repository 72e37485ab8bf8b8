import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Effect } from "effect"

/** Messages that are remembered, twice: they are kept in two generations. */
const most = 4_096

/**
 * Notes something of a message unless it was noted here just before: anybody may follow a link as often as they like,
 * scanners follow all of a mail at once, and a repeat changes nothing but takes a transaction. What fails is not
 * remembered.
 */
export const make = () => {
  let young = new Set<string>()
  let old = new Set<string>()

  const keep = (key: string): void => {
    if (young.size >= most) {
      old = young
      young = new Set()
    }
    young.add(key)
  }

  return <E>(scope: Scope, id: MessageId, note: Effect.Effect<void, E>): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      const key = `${scope} ${id}`
      return young.has(key) || old.has(key) ? Effect.void : Effect.tap(note, () => Effect.sync(() => keep(key)))
    })
}
