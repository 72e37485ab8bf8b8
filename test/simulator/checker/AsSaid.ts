import { Array } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { Facts, Row } from "./Facts.ts"
import * as Groups from "./Groups.ts"
import * as Resends from "./Resends.ts"
import * as Ways from "./Ways.ts"

/** What a caller says of a message, and checks read in the stored one. */
const fields = [
  "channels",
  "content",
  "data",
  "delay",
  "expiry",
  "metadata",
  "preferences",
  "providers",
  "routing",
  "template",
  "timeout"
] as const

type Said = Readonly<Partial<Record<typeof fields[number], unknown>>>

/** As JSON has it; what says nothing is as good as absent. */
const plain = (value: unknown): unknown => {
  const text = JSON.stringify(value ?? null)
  return text === "{}" ? null : JSON.parse(text)
}

const isSame = (one: Said, other: Said, but?: string): boolean =>
  fields.every((field) => field === but || isDeepStrictEqual(plain(one[field]), plain(other[field])))

/** What random arbitraries said may be written in older ways. */
const isOfStory = (row: Row): boolean => Ways.askedOf(row).data?.["on"] === true

const askedFor = (facts: Facts, { scope, traceId }: Row) =>
  facts.requestsOf(traceId).filter((request) => request.scope === scope)

/** I2: what is stored of a message is what its caller said of it; all other checks go by that. */
export const words = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.filter(isOfStory).flatMap((row) => {
    const asked = [
      ...askedFor(facts, row),
      ...facts.jobsOf(row.traceId).filter(({ scope }) => scope === row.scope)
    ]
    const stored: Said = JSON.parse(row.instructions)
    const isResend = facts.resent.has(row.id) || Resends.mayBe(facts, row.traceId, row.scope)
    return asked.some(({ message }) => isSame(message, stored) || (isResend && isSame(message, stored, "delay")))
      ? []
      : [`I2: ${row.id} is not what the caller of ${row.traceId} said`]
  })

/** I2: each recipient whom a caller names has the message, with the addresses that the caller gave. */
export const recipients = (facts: Facts): ReadonlyArray<string> => {
  const byRequest = Map.groupBy(facts.history.messages, ({ requestId }) => requestId as string)
  return facts.history.requests.flatMap(({ message, requestId }) => {
    const to = Array.ensure(message.to)
    const isOther = message.data?.["on"] !== true || to.some((one) => Groups.named(one) !== undefined)
    if (requestId === undefined || isOther) return []
    const stored = (byRequest.get(requestId) ?? []).map(({ recipient }) => JSON.parse(recipient))
    return to.filter((one) => !stored.some((other) => isDeepStrictEqual(plain(one), other))).map((one) =>
      `I2: ${requestId} has no message for ${JSON.stringify(one)}`
    )
  })
}
