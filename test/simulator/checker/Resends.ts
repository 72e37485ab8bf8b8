import type { Resend } from "#layers/testing/History.ts"
import type { Facts } from "./Facts.ts"
import { jumped } from "./Times.ts"
import { isDeepStrictEqual } from "node:util"

/** What a resend says: the same as its original, at once. */
const saidIn = (instructions: string): string => {
  const { delay: _, ...said }: Record<string, unknown> = JSON.parse(instructions)
  return JSON.stringify(said)
}

/** The same fields, in whatever order. */
const isSame = (one: string, other: string): boolean => isDeepStrictEqual(JSON.parse(one), JSON.parse(other))

const isLost = ({ tries }: Resend): boolean =>
  tries.every(({ status }) => status === undefined || status === 503) && tries.length > 0

/** The requests that a label may have become besides those of POST /send. */
export const most = (facts: Facts, label: string | undefined, scope: number): number =>
  facts.history.resends.filter((again) =>
    again.scope === scope && facts.rows.get(again.messageId)?.traceId === label &&
    (again.resentId !== undefined || isLost(again))
  ).length

/** Whether the message may be of a resend whose caller was told nothing. */
export const mayBe = (facts: Facts, label: string | undefined, scope: number): boolean =>
  facts.history.resends.some((again) =>
    again.scope === scope && facts.rows.get(again.messageId)?.traceId === label && isLost(again)
  )

/** I19: a resend is another message to the same recipient with the same words, whose story begins with it. */
export const anew = (facts: Facts): ReadonlyArray<string> => [
  ...facts.history.resends.flatMap(({ messageId, resentId, scope, tries }) => {
    if (resentId === undefined) return []
    const [row, original] = [facts.rows.get(resentId), facts.rows.get(messageId)]
    if (row === undefined || original === undefined)
      return [`I19: ${messageId} was sent again, and ${resentId} is not there`]
    const began = tries[0]?.at ?? 0
    const first = facts.commitsOf(row.id)[0]
    const early = row.history.flatMap(({ events }) => events).some(({ ts }) => ts < row.enqueuedAt)
    return [
      ...(resentId !== messageId && row.requestId === resentId && row.scope === scope
        ? []
        : [`I19: ${resentId} is not a message of its own`]),
      ...(isSame(row.recipient, original.recipient) && row.recipientKey === original.recipientKey
        ? []
        : [`I19: ${resentId} goes to another recipient than ${messageId}`]),
      ...(row.instructions === saidIn(original.instructions)
        ? []
        : [`I19: ${resentId} says something else than ${messageId}`]),
      ...((first?.at ?? 0) < began || (early && !jumped(facts, began, Infinity))
        ? [`I19: the story of ${resentId} begins before it`]
        : []),
      ...(row.attempts.every(({ number }, n) => number === n + 1) ? [] : [`I19: the attempts of ${resentId} go on`])
    ]
  }),
  ...[...Map.groupBy(facts.history.resends, ({ resentId }) => resentId)].flatMap(([id, resends]) =>
    id !== undefined && new Set(resends.map(({ key }) => key)).size < resends.length
      ? [`I19: ${id} is the answer to several resends`]
      : []
  )
]
