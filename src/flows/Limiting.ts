import type { LimitedBy } from "#schemas/SendLimit.ts"
import * as LimitWindow from "#src/flows/LimitWindow.ts"
import type { Count } from "#src/flows/SendCounts.ts"
import type { SendLimitRecord } from "#src/flows/SendLimits.ts"
import { createHash } from "node:crypto"

/** What limits look at of a message, so far as it has it. */
export interface Limited {
  /** The key of its mailbox, which an address has too. */
  readonly recipientKey: string | undefined
  readonly userId: string | undefined
  readonly topicId: string | undefined
  readonly tenantId: string | undefined
}

/** What a message is counted under, and by which id a limit of its own is overridden. */
interface Subject {
  readonly parts: ReadonlyArray<string>
  readonly id: string | undefined
}

/** `undefined`: the message is none of what is limited. */
const subjectOf = (per: LimitedBy, { recipientKey, tenantId, topicId, userId }: Limited): Subject | undefined => {
  switch (per) {
    case "global":
      return { parts: [], id: undefined }
    case "user":
      return recipientKey === undefined ? undefined : { parts: [recipientKey], id: userId }
    case "topic":
      return topicId === undefined ? undefined : { parts: [topicId], id: topicId }
    case "user_topic":
      return topicId === undefined || recipientKey === undefined
        ? undefined
        : { parts: [recipientKey, topicId], id: topicId }
    case "tenant":
      return tenantId === undefined ? undefined : { parts: [tenantId], id: tenantId }
  }
}

/** Subjects are addresses too, which are not kept in the clear for this (P9), and may be longer than an index allows. */
const digest = (parts: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex")

/** How many of this subject a limit lets through; `undefined`: any number. */
const mostOf = ({ said: { limit, overrides } }: SendLimitRecord, { id }: Subject): number | undefined =>
  (overrides && id !== undefined && Object.hasOwn(overrides, id) ? overrides[id] : limit) ?? undefined

/** A count in whatever stretch of time. */
export interface Tally extends Omit<Count, keyof LimitWindow.LimitWindow> {}

/** What a message adds to of a limit, whenever it is sent; `undefined`: nothing. */
export const tallyOf = (limit: SendLimitRecord, limited: Limited): Tally | undefined => {
  const { per, period, said } = limit
  const subject = subjectOf(per, limited)
  const most = subject === undefined ? undefined : mostOf(limit, subject)
  if (subject === undefined || most === undefined) return undefined
  const isExcluded = limited.topicId !== undefined && said.excluded_topics?.includes(limited.topicId) === true
  return { per, period, subject: digest(subject.parts), most: isExcluded ? undefined : most }
}

/** The count of it that is added to at `now` (epoch ms). */
export const countAt = (tally: Tally, now: number): Count => ({ ...tally, ...LimitWindow.at(tally.period, now) })
