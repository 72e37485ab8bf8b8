import type { Commit } from "#layers/testing/History.ts"
import * as Configurations from "./Configurations.ts"
import type { Facts, Row } from "./Facts.ts"
import * as LeftAlone from "./LeftAlone.ts"
import * as Preferences from "./Preferences.ts"
import * as Ways from "./Ways.ts"

const met: Readonly<Record<string, ReadonlyArray<string>>> = {
  delivered: ["DELIVERED", "OPENED", "CLICKED"],
  viewed: ["OPENED", "CLICKED"],
  engaged: ["CLICKED"]
}

/** What random arbitraries said has ways of its own; the conditions of `Story.ts` are known. */
const isOfStory = (row: Row): boolean => Ways.askedOf(row).data?.["on"] === true

const isEscalated = ({ timeout }: Ways.Asked): boolean =>
  timeout?.criteria !== undefined && (timeout.escalation ?? 0) > 0

/** The write that left nothing to do, and the status that it left. */
const closing = (facts: Facts, { id }: Row) =>
  facts.commitsOf(id).find(({ after, dueAt, result }) =>
    after !== undefined && dueAt === undefined && result === "Written"
  )

/** Whether there is always a provider for it; who opts out of what has begun is written to where that began, or nowhere. */
const hasWay = (facts: Facts, row: Row): boolean => {
  const left = Ways.of(row, Configurations.gone(facts, row))
  if (left === undefined) return false
  return row.attempts.length === 0 || !Preferences.wasUnwanted(facts, row) ||
    Ways.leaves(left).some((leaf) => row.attempts.some(({ channel }) => channel === leaf.channel))
}

/** I13: a message is without a way only if what was asked for has none for its recipient. */
export const routed = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.filter(isOfStory).flatMap((row) => {
    const { attempts, id, status } = row
    const nowhere = status === "UNROUTABLE" || status === "FILTERED"
    const way = Ways.of(row)
    const strange = way === undefined ?
      attempts :
      attempts.filter(({ channel, provider }) =>
        !Ways.leaves(way).some((leaf) => leaf.channel === channel && leaf.provider === provider)
      )
    return [
      ...(nowhere && way !== undefined && hasWay(facts, row)
        ? [`I13: ${id} is ${status}, and had a way`]
        : []),
      ...strange.map(({ channel, provider }) => `I13: ${id} went over ${channel}/${provider}, and was not to`)
    ]
  })

/** The way without the providers that it had not come to, and that may be left alone until after its message's deadline, in epoch ms. */
const reachable = (facts: Facts, row: Row, { at, wall }: Commit, deadline: number): Ways.Way | undefined => {
  const alone = LeftAlone.beyond(facts, row.scope, at, deadline - wall + at)
  return Ways.of(row, new Set([...alone].filter((key) => !row.attempts.some(({ provider }) => provider === key))))
}

/** I13: what closes has tried every part of its way whose turn came: each of `all`, and of `single` the ones after a failure. */
export const wholeWay = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.filter(isOfStory).flatMap((row) => {
    const { attempts, enqueuedAt, error, id, status } = row
    const way = Ways.of(row)
    const end = closing(facts, row)
    const asked = Ways.askedOf(row)
    const { timeout } = asked
    if (way === undefined || end?.after === undefined || status === "CANCELED" || status === "THROTTLED") return []
    if (Preferences.wasUnwanted(facts, row) || Configurations.gone(facts, row).size > 0) return []
    if (error?.startsWith("Quarantined") === true || error?.startsWith("delay.until") === true) return []
    const deadline = timeout?.message ?? 72 * 3_600_000
    // It counts from the end of the delay, which the row does not tell.
    // A call that outlasts it ends the message, also if the clock is set back before that is written.
    const ended = Math.max(end.wall, ...attempts.map(({ endedAt }) => endedAt ?? 0))
    if (ended - enqueuedAt >= deadline) return []
    const goesOn = isEscalated(asked) && met[timeout?.criteria ?? ""]?.includes(end.after) === false
    if (goesOn && facts.history.incidents.some(({ kind }) => kind === "jump")) return []
    // What would escalate after the deadline does not.
    const last = attempts.findLast(({ state }) => state === "accepted")
    const due = (last?.endedAt ?? 0) + Math.max(1_001, timeout?.escalation ?? 0)
    if (goesOn && due >= enqueuedAt + deadline) return []
    // What was written down and not called is no try.
    const made = attempts.filter(({ kind, state }) => state !== "rejected" || kind !== null)
    const left = goesOn && end.wall >= due ? reachable(facts, row, end, enqueuedAt + deadline) : way
    return left === undefined || Ways.isOver(left, made, goesOn)
      ? []
      : [`I13: ${id} is closed as ${end.after}, and part of its way is untried`]
  })

/** I14: who has the message is not written to over another channel before the time to have seen it is over. */
export const notHasty = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.filter(isOfStory).flatMap((row) => {
    const asked = Ways.askedOf(row)
    const way = Ways.of(row)
    if (way === undefined || "provider" in way || way.method !== "single" || !isEscalated(asked)) return []
    // Of what is told later, or unknown for a while, nobody could know.
    if (facts.history.reports.some(({ messageId }) => messageId === row.id)) return []
    if (facts.callsOf(row.id).some(({ heard }) => heard !== "accepted" && heard !== "refused")) return []
    if (facts.history.incidents.some(({ kind }) => kind === "jump")) return []
    if (way.children.some((child) => !("provider" in child) && !child.inChannel)) return []
    return row.attempts.flatMap((attempt) => {
      const before = row.attempts.find(({ channel, endedAt, number, state }) =>
        number < attempt.number && channel !== attempt.channel && state === "accepted" &&
        attempt.startedAt - (endedAt ?? 0) < (asked.timeout?.escalation ?? 0)
      )
      return before === undefined
        ? []
        : [
          `I14: attempt ${attempt.number} of ${row.id} came ${
            attempt.startedAt - (before.endedAt ?? 0)
          } ms after one was taken`
        ]
    })
  })

/** A receipt was there before the answer to any call, so that the message was never only sent; a bounce, while its call was in flight. */
const wasOvertaken = (facts: Facts, id: string): boolean => {
  const commits = facts.commitsOf(id).filter(({ result }) => result === "Written")
  return commits.some(({ after, before, event, kind }, n) =>
    kind === "observe" && before === "ROUTED" && after !== before &&
    (event !== "Bounce" ||
      commits.slice(0, n).findLast(({ attempt }) => attempt !== undefined)?.attempt?.state === "intent")
  )
}

/** I15: what the row, its attempts, its timeline and the inbox tell is one story. */
export const oneStory = (facts: Facts): ReadonlyArray<string> => {
  const { history } = facts
  const items = Map.groupBy(history.inbox, ({ messageId }) => messageId)
  return history.messages.flatMap(({ attempts, canceledAt, history: entries, id, recipient, scope, sent, status }) => {
    const lines = entries.flatMap(({ events }) => events)
    const mine = items.get(id) ?? []
    const taken = attempts.filter(({ provider, state }) => provider === "inbox" && state === "accepted")
    const user: { readonly user_id?: string } = JSON.parse(recipient)
    const says = (type: string) => lines.some((line) => line.type === type)
    const deliveries = lines.filter(({ type }) => type === "DELIVERING").map(({ attempt }) => attempt)
    return [
      ...(mine.length === taken.length && mine.length <= 1
        ? []
        : [`I15: ${id} is ${mine.length} times in an inbox, and has ${taken.length} attempts of it`]),
      ...(mine.every((item) => item.userId === user.user_id && item.scope === scope)
        ? []
        : [`I15: ${id} is in the inbox of ${mine.map((item) => `${item.userId} of ${item.scope}`).join()}`]),
      ...(attempts.some(({ state }) => state === "intent") ? [`I15: ${id} ended with a call that has no outcome`] : []),
      ...(deliveries.join() === attempts.map(({ number }) => number).join()
        ? []
        : [`I15: the timeline of ${id} has the attempts ${deliveries.join()} of ${attempts.length}`]),
      ...((status === "CANCELED") === (canceledAt !== undefined)
        ? []
        : [`I15: ${id} is ${status}, canceled at ${canceledAt}`]),
      ...(["SENT", "DELIVERED", "OPENED", "CLICKED"].includes(status) && !says(status)
        ? [`I15: ${id} is ${status}, and its timeline does not say so`]
        : []),
      ...(says("SENT") && sent === undefined && !wasOvertaken(facts, id)
        ? [`I15: ${id} has a line SENT and no time of it`]
        : [])
    ]
  })
}
