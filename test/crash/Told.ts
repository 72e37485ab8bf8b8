import { Status } from "#schemas/Status.ts"
import type { Caller } from "#test/support/Caller.ts"
import { Schema } from "effect"
import { isDeepStrictEqual } from "node:util"
import * as Receiver from "./Receiver.ts"

const message = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))
const timeline = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ results: Schema.Array(Schema.Struct({ type: Schema.String })) }))
)
const Event = Schema.Struct({ type: Schema.String, data: Schema.JsonObject })
const event = Schema.decodeUnknownSync(Schema.fromJsonString(Event))

/** How far a receiver lets the time of a signature be from its own, in ms. */
const tolerance = 300_000

/** A message at its end, as the API shows it, and the statuses in its timeline. */
export interface Truth {
  readonly id: string
  readonly message: Schema.JsonObject
  readonly statuses: ReadonlyArray<string>
}

export const truthOf = async (caller: Caller, id: string): Promise<Truth> => {
  const shown = await caller.call("GET", `/messages/${id}`)
  const history = await caller.call("GET", `/messages/${id}/history`)
  const types = new Set(timeline(history?.body).results.map(({ type }) => type))
  return { id, message: message(shown?.body), statuses: Status.literals.filter((status) => types.has(status)) }
}

/** What a call says: which message has which status. */
const sayingOf = ({ body }: Receiver.Call): string => {
  const { data } = event(body)
  return `${data["id"]} ${data["status"]}`
}

/** The statuses of which no call told that was answered well. */
export const untold = (calls: ReadonlyArray<Receiver.Call>, truth: ReadonlyArray<Truth>): ReadonlyArray<string> => {
  const told = new Set(calls.filter(({ status }) => status === 204).map(sayingOf))
  return truth.flatMap(({ id, statuses }) =>
    statuses.map((status) => `${id} ${status}`).filter((one) => !told.has(one))
  )
}

/** What is wrong with what one call says of a message. */
const faultsOf = ({ data, type }: typeof Event.Type, truth: Truth | undefined): ReadonlyArray<string> => {
  const status = String(data["status"])
  if (truth === undefined) return ["is of a message that nobody sent"]
  const final = { ...truth.message, recipientId: truth.message["recipient"] }
  return [
    ...(type === "message:updated" ? [] : [`is of type ${type}`]),
    ...(truth.statuses.includes(status) ? [] : ["never happened"]),
    ...(status === truth.message["status"]
      ? isDeepStrictEqual(data, final) ? [] : ["is not what the API shows"]
      : data["sent"] === undefined
      ? []
      : ["knows what came later"])
  ]
}

/** What is wrong with how one call proves where it is from. */
const forgeries = (call: Receiver.Call, secret: string): ReadonlyArray<string> => {
  const { headers } = call
  const { at, own, standard } = Receiver.signatures(secret, call)
  return [
    ...(headers["courier-signature"] === own ? [] : ["has a wrong courier-signature"]),
    ...(headers["webhook-signature"] === standard ? [] : ["has a wrong webhook-signature"]),
    ...(headers["webhook-timestamp"] === String(Math.floor(at / 1_000)) ? [] : ["has another webhook-timestamp"]),
    ...(Math.abs(call.at - at) < tolerance ? [] : ["was signed at another time"])
  ]
}

/** The keys whose calls differ in something that they must have in common. */
const differing = (
  calls: ReadonlyArray<Receiver.Call>,
  key: (call: Receiver.Call) => string,
  common: (call: Receiver.Call) => string
): ReadonlyArray<string> =>
  [...Map.groupBy(calls, key)].flatMap(([name, of]) => new Set(of.map(common)).size === 1 ? [] : [name])

/**
 * What is wrong with what a webhook was told, as sentences: each status that a message had was told, nothing was told
 * that did not happen, a repeat is the same event with the same body, and each call proves where it is from.
 */
export const faults = (
  calls: ReadonlyArray<Receiver.Call>,
  truth: ReadonlyArray<Truth>,
  secret: string
): ReadonlyArray<string> => {
  const known = new Map(truth.map((one) => [one.id, one]))
  return [
    ...untold(calls, truth).map((one) => `${one} was not told`),
    ...calls.flatMap((call) => {
      const told = event(call.body)
      return [...faultsOf(told, known.get(String(told.data["id"]))), ...forgeries(call, secret)]
        .map((fault) => `${sayingOf(call)}: ${fault}`)
    }),
    ...differing(calls, ({ id }) => id, ({ body }) => body).map((id) => `${id} was told in different words`),
    ...differing(calls, sayingOf, ({ id }) => id).map((one) => `${one} was told under several ids`)
  ]
}
