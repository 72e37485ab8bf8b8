import type { ListenerOptions, Telling } from "#layers/testing/Simulation.ts"
import { createHmac } from "node:crypto"
import type { Facts } from "./Facts.ts"

/** What a listener is told, as far as it is read here. */
interface Told {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

const toldBy = ({ body }: Telling): Told => JSON.parse(body)

/** A message got another status by a write. */
export interface Update {
  readonly at: number
  readonly scope: number
  readonly messageId: string
  readonly status: string
}

/** All of which listeners are to be told. What a page makes and begins in one commit is told once. */
export const updatesOf = ({ commitsOf, history }: Facts): ReadonlyArray<Update> =>
  history.commits.flatMap(({ after: status, at, before, kind, messageId, result, scope }) => {
    if (status === undefined || status === before || result !== "Written") return []
    const isBegun = kind === "page" && commitsOf(messageId).some((other) => other.kind === "step" && other.at === at)
    return isBegun ? [] : [{ at, scope, messageId, status }]
  })

const nameOf = (scope: number, id: unknown, status: unknown): string => `${scope} ${id} ${status}`

/** The update that a call tells of; `undefined`: it tells of something else. */
export const updateOf = (telling: Telling): string | undefined => {
  const { data, type } = toldBy(telling)
  return type === "message:updated" ? nameOf(telling.scope, data["id"], data["status"]) : undefined
}

export const nameOfUpdate = ({ messageId, scope, status }: Update): string => nameOf(scope, messageId, status)

export const wants = ({ types }: ListenerOptions, type: string): boolean => types?.some((one) => one === type) ?? true

const idOf = ({ headers }: Telling): string => headers["webhook-id"] ?? ""

/** I30: each status that a message gets is told to every listener that wants to hear of it, until it says that it has. */
export const told = (facts: Facts): ReadonlyArray<string> => {
  const { listeners, tellings } = facts.history
  const hearers = listeners.filter((one) => wants(one, "message:updated"))
  const updates = hearers.length === 0 ? [] : updatesOf(facts)
  return hearers.flatMap(({ name }) => {
    const heard = new Set(
      tellings.filter((one) => one.listener === name && one.heard === "accepted").map((one) => updateOf(one))
    )
    return updates.filter((update) => !heard.has(nameOfUpdate(update))).map(({ at, messageId, status }) =>
      `I30: ${name} was not told that ${messageId} is ${status} since ${at}`
    )
  })
}

/** When templates got another version in an environment, in ms: what is published once more as it is goes live no more. */
const versionsOf = ({ history }: Facts, scope: number): ReadonlyArray<number> => {
  const live = new Map(Object.entries(history.given.templates ?? {}).map(([id, said]) => [id, JSON.stringify(said)]))
  return history.changes.flatMap(({ at, change, scope: of }) => {
    if (of !== scope || change._tag !== "Publish") return []
    const said = JSON.stringify(change.template)
    if (live.get(change.templateId) === said) return []
    live.set(change.templateId, said)
    return [at]
  })
}

/** I30: each version of a template that goes live is told, and none that did not. */
export const published = (facts: Facts): ReadonlyArray<string> =>
  facts.history.listeners.filter((one) => wants(one, "notification:published")).flatMap(({ name }) =>
    [1, 2].flatMap((scope) => {
      const versions = versionsOf(facts, scope)
      const mine = facts.history.tellings.filter((one) =>
        one.listener === name && one.scope === scope && toldBy(one).type === "notification:published"
      )
      const heard = new Set(mine.filter((one) => one.heard === "accepted").map(idOf)).size
      const all = new Set(mine.map(idOf)).size
      return heard >= new Set(versions).size && all <= versions.length
        ? []
        : [`I30: ${versions.length} versions went live in ${scope}, ${name} was told of ${all}, and heard of ${heard}`]
    })
  )

const times = ["sent", "delivered", "opened", "clicked"]

/** How many of the times a message has at most while it has this status; `undefined`: any. */
const reached: Readonly<Record<string, number>> = {
  ENQUEUED: 0,
  DELAYED: 0,
  ROUTED: 0,
  SENT: 1,
  DELIVERED: 2,
  OPENED: 3,
  CLICKED: 4
}

/** I31: what is told has happened by then, in the listener's environment, and is told as it was then. */
export const notMadeUp = (facts: Facts): ReadonlyArray<string> => {
  const { listeners, tellings } = facts.history
  const updates = tellings.length === 0 ? new Map() : Map.groupBy(updatesOf(facts), nameOfUpdate)
  return tellings.flatMap((telling) => {
    const { data, type } = toldBy(telling)
    const { calledAt, listener, number } = telling
    const isWanted = listeners.some((one) => one.name === listener && wants(one, type))
    const unasked = isWanted ? [] : [`I31: call ${number} tells ${listener} of ${type}, which it did not ask for`]
    const name = updateOf(telling)
    if (name === undefined) return unasked
    const row = facts.rows.get(String(data["id"]))
    const happened = updates.get(name)?.some(({ at }: Update) => at <= calledAt) === true
    const later = times.slice(reached[String(data["status"])]).filter((time) => typeof data[time] === "number")
    return [
      ...unasked,
      ...(happened ? [] : [`I31: call ${number} tells ${listener} of ${name}, which did not happen`]),
      ...(data["recipientId"] === row?.recipientName
        ? []
        : [`I31: call ${number} tells ${listener} of ${name}, of another recipient`]),
      ...(reached[String(data["status"])] === undefined || later.length === 0
        ? []
        : [`I31: call ${number} tells ${listener} of ${name}, and when it was ${later.join()}`])
    ]
  })
}

/** I31: one id for all calls that tell of the same, and for those alone. */
export const ids = (facts: Facts): ReadonlyArray<string> => {
  const { tellings } = facts.history
  const said = (one: Telling) => updateOf(one) ?? one.body
  const shared = [...Map.groupBy(tellings, (one) => `${one.scope} ${idOf(one)}`)].filter(([, all]) =>
    new Set(all.map(said)).size > 1
  )
  const updates = tellings.length === 0 ? new Map() : Map.groupBy(updatesOf(facts), nameOfUpdate)
  const unsteady = [...Map.groupBy(tellings.filter((one) => updateOf(one) !== undefined), said)].filter(([name, all]) =>
    new Set(all.map(idOf)).size > (updates.get(name)?.length ?? 0)
  )
  return [
    ...shared.map(([id]) => `I31: the id ${id} is of several events`),
    ...unsteady.map(([name]) => `I31: ${name} has several ids`)
  ]
}

/** I31: what is told is signed for its listener, at the time of the call, in both ways. */
export const signed = ({ history }: Facts): ReadonlyArray<string> =>
  history.tellings.flatMap(({ body, headers, listener, number, secret, wall }) => {
    const bytes = Buffer.from(secret.slice("whsec_".length), "base64")
    const seconds = headers["webhook-timestamp"]
    const [, at = ""] = /^t=(\d+),/.exec(headers["courier-signature"] ?? "") ?? []
    const courier = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")
    const standard = createHmac("sha256", bytes).update(`${headers["webhook-id"]}.${seconds}.${body}`).digest("base64")
    const isSigned = headers["courier-signature"] === `t=${wall},signature=${courier}` &&
      headers["webhook-signature"] === `v1,${standard}` && seconds === String(Math.floor(wall / 1_000))
    return isSigned ? [] : [`I31: call ${number} of ${listener} is not signed`]
  })
