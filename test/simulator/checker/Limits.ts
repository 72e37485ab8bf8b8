import { profileOf } from "../People.ts"
import type { Facts, Row } from "./Facts.ts"

/** Whose messages are counted together, by a limit's first word. */
const subjectOf = (per: string | undefined, { instructions, recipient, scope, tenantId }: Row): string | undefined => {
  const to = JSON.parse(recipient)
  const { email, phone_number: phone, user_id: user } = profileOf(to)
  const person = String(to.user_id ?? user ?? email ?? phone)
  const topic = JSON.parse(instructions).preferences?.subscription_topic_id
  switch (per) {
    case "global":
      return `${scope}`
    case "user":
      return `${scope} ${person}`
    case "topic":
      return topic === undefined ? undefined : `${scope} ${topic}`
    case "user_topic":
      return topic === undefined ? undefined : `${scope} ${person} ${topic}`
    default:
      return tenantId === undefined ? undefined : `${scope} ${tenantId}`
  }
}

/** A limit of the world, and what of it. Its stretch of time is longer than the world. */
interface Limited {
  readonly path: string
  readonly most: number
  readonly of: ReadonlyMap<string, ReadonlyArray<Row>>
}

const limitsOf = ({ history }: Facts): ReadonlyArray<Limited> =>
  Object.entries(history.given.limits ?? {}).map(([path, limit]) => ({
    path,
    most: limit?.limit ?? Infinity,
    of: Map.groupBy(history.messages, (row) => subjectOf(path.split("/")[0], row) ?? "")
  }))

/** I26: no more messages are sent than a limit allows, whatever crashes between a count and a call. */
export const keptWithin = (facts: Facts): ReadonlyArray<string> =>
  limitsOf(facts).flatMap(({ most, of, path }) =>
    [...of].flatMap(([subject, rows]) => {
      const sent = rows.filter(({ attempts }) => attempts.length > 0).length
      return subject === "" || sent <= most
        ? []
        : [`I26: ${sent} messages of ${subject} were sent, of ${most} per ${path}`]
    })
  )

/** I27: a message ends as THROTTLED only where a limit is reached, by messages that count once each. */
export const notForNothing = (facts: Facts): ReadonlyArray<string> => {
  const limits = limitsOf(facts)
  return facts.history.messages.filter(({ status }) => status === "THROTTLED").flatMap((row) => {
    const isReached = limits.some(({ most, of, path }) => {
      const subject = subjectOf(path.split("/")[0], row)
      const others = subject === undefined ? [] : of.get(subject) ?? []
      return subject !== undefined && others.filter(({ status }) => status !== "THROTTLED").length >= most
    })
    return isReached ? [] : [`I27: ${row.id} is THROTTLED, and no limit is reached`]
  })
}
