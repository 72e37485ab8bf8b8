import type { Facts, Row } from "./Facts.ts"
import { jumped } from "./Times.ts"

/** A receipt may come for so long, in ms. */
const hold = 15 * 60_000

/** Whether its calls come one after the other, and none of its providers was taken away. */
const isOneByOne = ({ history }: Facts, { instructions, scope }: Row): boolean =>
  !instructions.includes("\"all\"") &&
  !history.changes.some(({ change, scope: of }) => change._tag === "Withdraw" && of === scope)

/** I20: a one-time password of which nobody knows whether it was sent is not sent again, by no provider, before a receipt has had its time. */
export const held = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.filter(({ instructions }) => instructions.includes("\"otp\"")).flatMap((row) => {
    const epoch = facts.commitsOf(row.id).map(({ at, wall }) => wall - at)[0] ?? 0
    return !isOneByOne(facts, row) ? [] : row.attempts.flatMap((attempt) => {
      const { endedAt, number, state } = attempt
      const next = row.attempts.find((later) => later.number === number + 1)
      if (state !== "unknown" || endedAt === null || next === undefined) return []
      const waited = next.startedAt - endedAt
      return waited >= hold || jumped(facts, endedAt - epoch, next.startedAt - epoch)
        ? []
        : [`I20: ${row.id} was sent again ${waited} ms after call ${number}, of which nobody knows`]
    })
  })
