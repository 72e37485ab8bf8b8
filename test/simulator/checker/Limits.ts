import { profileOf } from "../People.ts"
import type { Facts, Row } from "./Facts.ts"

const topicOf = ({ instructions }: Row): unknown => JSON.parse(instructions).preferences?.subscription_topic_id

/** Whose messages are counted together, by a limit's first word. */
const subjectOf = (per: string | undefined, row: Row): string | undefined => {
  const { recipient, scope, tenantId } = row
  const to = JSON.parse(recipient)
  const { email, phone_number: phone, user_id: user } = profileOf(to)
  const person = String(to.user_id ?? user ?? email ?? phone)
  const topic = topicOf(row)
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

/** A limit of the world, and what it counts together. Its stretch of time is longer than the world. */
interface Limited {
  readonly path: string
  /** How many of these it lets through. */
  readonly mostOf: (rows: ReadonlyArray<Row>) => number
  /** Whether it counts the message, and never holds it up. */
  readonly isExcluded: (row: Row) => boolean
  readonly of: ReadonlyMap<string, ReadonlyArray<Row>>
}

const limitsOf = ({ history }: Facts): ReadonlyArray<Limited> =>
  Object.entries(history.given.limits ?? {}).map(([path, limit]) => ({
    path,
    mostOf: ([row]) => {
      const user = row === undefined ? undefined : JSON.parse(row.recipient).user_id
      return limit?.overrides?.[user] ?? limit?.limit ?? Infinity
    },
    isExcluded: (row) => limit?.excluded_topics?.some((one) => one === topicOf(row)) === true,
    of: Map.groupBy(history.messages, (row) => subjectOf(path.split("/")[0], row) ?? "")
  }))

/** I26: no more messages are sent than a limit allows, whatever crashes between a count and a call. */
export const keptWithin = (facts: Facts): ReadonlyArray<string> =>
  limitsOf(facts).flatMap(({ isExcluded, mostOf, of, path }) =>
    [...of].flatMap(([subject, rows]) => {
      const most = mostOf(rows)
      const sent = rows.filter((row) => row.attempts.length > 0 && !isExcluded(row)).length
      return subject === "" || sent <= most
        ? []
        : [`I26: ${sent} messages of ${subject} were sent, of ${most} per ${path}`]
    })
  )

/** I27: a message ends as THROTTLED only where a limit is reached, by messages that count once each. */
export const notForNothing = (facts: Facts): ReadonlyArray<string> => {
  const limits = limitsOf(facts)
  return facts.history.messages.filter(({ status }) => status === "THROTTLED").flatMap((row) => {
    const isReached = limits.some(({ isExcluded, mostOf, of, path }) => {
      const subject = subjectOf(path.split("/")[0], row)
      if (subject === undefined || isExcluded(row)) return false
      const others = of.get(subject) ?? []
      return others.filter(({ attempts }) => attempts.length > 0).length >= mostOf(others)
    })
    return isReached ? [] : [`I27: ${row.id} is THROTTLED, and no limit is reached`]
  })
}
