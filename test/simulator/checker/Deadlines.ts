import * as Configurations from "./Configurations.ts"
import type { Facts, Row } from "./Facts.ts"
import * as Preferences from "./Preferences.ts"
import { jumped } from "./Times.ts"
import * as Ways from "./Ways.ts"

const minute = 60_000

/** A try that was due in time may begin so much later, in ms. */
const prompt = 15_000

/** What a fault leaves behind is over after this, in ms. */
const aftermath = 45_000

/** What was answered so may be tried again. */
const transient = ["RateLimited", "Unavailable", "Unknown"]

/** Nearly as long as a provider is tried, in ms: 24 hours, but for the jitter of the waits. */
const almost = 23 * 60 * minute

/** The time of the world at the time of its clock, where that was never set. */
const atOf = (facts: Facts, { id }: Row, wall: number): number => {
  const [first] = facts.commitsOf(id)
  return first === undefined ? 0 : wall - first.wall + first.at
}

/** I33: no provider is tried again after the time that a caller gives the message. */
export const inTime = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.flatMap((row) => {
    const { delay, timeout } = Ways.askedOf(row)
    if (timeout?.message === undefined || delay?.until !== undefined || jumped(facts, 0, Infinity)) return []
    const start = row.enqueuedAt + Math.ceil((delay?.duration ?? 0) / minute) * minute
    const end = atOf(facts, row, start + timeout.message)
    return row.attempts.flatMap(({ channel, number, provider, startedAt }) => {
      const at = atOf(facts, row, startedAt)
      const isAgain = row.attempts.some((other) =>
        other.number < number && other.channel === channel && other.provider === provider
      )
      return !isAgain || at <= end + prompt || facts.incidentsOf(undefined, end - aftermath, at).length > 0
        ? []
        : [`I33: attempt ${number} of ${row.id} began ${at - end} ms after its time was over`]
    })
  })

/** I33: a message for which no time was said is not given up while a provider may still take it. */
export const notGivenUp = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.flatMap((row) => {
    const { attempts, error, id, instructions, status } = row
    const { timeout } = Ways.askedOf(row)
    const isTimed = timeout !== undefined || instructions.includes("\"timeouts\"")
    const isReported = facts.history.reports.some(({ messageId }) => messageId === id)
    if (status !== "UNDELIVERABLE" || isTimed || isReported || jumped(facts, 0, Infinity)) return []
    if (error?.startsWith("Quarantined") === true || Preferences.wasUnwanted(facts, row)) return []
    if (Configurations.gone(facts, row).size > 0) return []
    const last = attempts.at(-1)
    const first = attempts.find((one) => one.channel === last?.channel && one.provider === last.provider)
    if (last === undefined || first === undefined || !transient.includes(last.kind ?? "")) return []
    const lasted = (last.endedAt ?? 0) - first.startedAt
    return lasted >= almost
      ? []
      : [`I33: ${id} was given up ${lasted} ms after its first attempt at ${last.provider}, which may have taken it`]
  })
