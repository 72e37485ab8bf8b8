import { topic } from "../People.ts"
import { type Facts, type Row, type Span, spans, within } from "./Facts.ts"
import * as Turns from "./Turns.ts"
import * as Ways from "./Ways.ts"

/** When the recipient of a message of the topic was in and out; `undefined`: nobody is asked. */
const wishes = ({ history }: Facts, row: Row): ReadonlyArray<Span<boolean>> | undefined => {
  const { user_id: user }: { readonly user_id?: string } = JSON.parse(row.recipient)
  if (user === undefined || Ways.askedOf(row).preferences?.subscription_topic_id !== topic) return undefined
  return spans(
    history,
    row.scope,
    true,
    (change) =>
      change._tag === "Prefer" && change.userId === user && change.topicId === topic
        ? change.status === "OPTED_IN"
        : undefined
  )
}

/** Whether its recipient was out of its topic at some moment of its life. */
export const wasUnwanted = (facts: Facts, row: Row): boolean => {
  const all = wishes(facts, row)
  return all !== undefined && within(all, ...Turns.life(facts, row)).includes(false)
}

/** I16: who is out is not written to by a turn that begins after that, but for a channel in which the message may be on its way. */
export const heeded = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.flatMap((row) => {
    const all = wishes(facts, row)
    if (all === undefined || !all.some(({ value }) => !value)) return []
    return Turns.acts(facts, row).flatMap(({ at, attempt, turn }) => {
      if (within(all, turn, at).includes(true)) return []
      const earlier = row.attempts.filter(({ number }) => number < attempt)
      const channel = row.attempts.find(({ number }) => number === attempt)?.channel
      const goesOn = earlier.some(({ state }) => state !== "rejected") &&
        earlier.some((other) => other.channel === channel)
      return goesOn
        ? []
        : [
          `I16: attempt ${attempt} of ${row.id} at ${at}, in a turn from ${turn} on; its recipient was out of ${topic}`
        ]
    })
  })

/** I16: a message ends for its recipient's wish only if there was one. */
export const asked = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.flatMap((row) =>
    row.reason !== "UNSUBSCRIBED" || wasUnwanted(facts, row)
      ? []
      : [`I16: ${row.id} is ${row.status}, ${row.reason}, and its recipient was never out`]
  )
