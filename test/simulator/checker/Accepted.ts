import { profileOf } from "../People.ts"
import { type Facts, labelOf, type Row } from "./Facts.ts"
import * as Jobs from "./Jobs.ts"
import * as Lists from "./Lists.ts"
import * as Resends from "./Resends.ts"

const ended = new Set([
  "SENT",
  "DELIVERED",
  "OPENED",
  "CLICKED",
  "CANCELED",
  "FILTERED",
  "THROTTLED",
  "UNMAPPED",
  "UNROUTABLE",
  "UNDELIVERABLE"
])

const countOf = (to: unknown): number => Array.isArray(to) ? to.length : 1

/** I1: what was answered with 202 is there, whole, and has come to its end. */
export const nothingLost = ({ history, rows }: Facts): ReadonlyArray<string> => {
  const byRequest = Map.groupBy(history.messages, ({ requestId }) => requestId as string)
  const missing = history.requests.flatMap((request) => {
    if (request.requestId === undefined) return []
    const found = byRequest.get(request.requestId) ?? []
    const wanted = Lists.isToMany(request) ? found.length : countOf(request.message.to)
    const others = found.filter(({ scope, traceId }) => scope !== request.scope || traceId !== labelOf(request))
    return found.length === wanted && others.length === 0
      ? []
      : [`I1: ${labelOf(request)} was answered with 202 and has ${found.length} of ${wanted} messages`]
  })
  const open = [...rows.values()].filter(({ dueAt, status }) => dueAt !== undefined || !ended.has(status))
  return [...missing, ...open.map(({ dueAt, id, status }) => `I1: ${id} ends as ${status}, due ${dueAt}`)]
}

const addressesOf = ({ recipient }: Row): ReadonlyArray<unknown> => {
  const { email, phone_number: phone, ring, user_id: user } = profileOf(JSON.parse(recipient))
  return [email, phone, ring, user]
}

/** I2: every hand-over is of a message that somebody asked for, to its own recipient, with its own words. */
export const nothingInvented = (facts: Facts): ReadonlyArray<string> => [
  ...facts.history.messages.flatMap(({ id, requestId, scope, traceId }) => {
    const asked = facts.requestsOf(traceId).filter((request) => request.scope === scope)
    const known = asked.some((request) =>
      request.requestId === requestId || request.tries.some(({ status }) => status === undefined || status === 503)
    )
    return known || Jobs.asked(facts, scope, traceId, requestId) || facts.resent.has(id) ||
        Resends.mayBe(facts, traceId, scope)
      ? []
      : [`I2: ${id} is stored, and nobody asked for it`]
  }),
  ...facts.history.calls.flatMap((call) => {
    const row = facts.rows.get(call.messageId)
    if (row === undefined) return [`I2: call ${call.number} is of no stored message`]
    const label = row.traceId ?? ""
    const said = row.instructions.includes(`canary-text ${label}"`)
    return [
      ...(addressesOf(row).includes(call.address) ? [] : [`I2: ${row.id} went to somebody else`]),
      ...(!said || call.text.includes(`canary-text ${label}`) ? [] : [`I2: ${row.id} went out with other words`])
    ]
  })
]

/** I4: one request per key, and the same answer to each of its calls. Without a key nothing is done twice either: nobody asked twice. */
export const oncePerKey = (facts: Facts): ReadonlyArray<string> => {
  const { history } = facts
  const byLabel = Map.groupBy(history.messages, ({ scope, traceId }) => `${scope} ${traceId}`)
  const twice = [...byLabel].flatMap(([label, rows]) => {
    const requests = new Set(rows.map(({ requestId }) => requestId))
    const resends = requests.size < 2 ? 0 : Math.max(...rows.map((row) => Resends.most(facts, row.traceId, row.scope)))
    return requests.size > 1 + resends ? [`I4: ${label} became ${requests.size} requests`] : []
  })
  const keyed = Map.groupBy(
    history.requests.filter(({ key }) => key !== undefined),
    ({ key, scope }) => `${scope} ${key}`
  )
  const unlike = [...keyed].flatMap(([key, requests]) => {
    const answers = requests.flatMap(({ tries }) =>
      tries.flatMap(({ body, status }) => status === undefined || status === 503 ? [] : [`${status} ${body}`])
    )
    return new Set(answers).size > 1 ? [`I4: ${key} was answered in ${new Set(answers).size} ways`] : []
  })
  return [...twice, ...unlike]
}
