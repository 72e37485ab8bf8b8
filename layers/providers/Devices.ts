import { type DeliveryError, RecipientRejected } from "#schemas/DeliveryError.ts"
import { isList, isObject } from "#schemas/Json.ts"
import type { Acceptance } from "#src/delivery/Provider.ts"
import { mostReachable } from "#src/people/DeviceTokens.ts"
import { Array, Effect, type Schema } from "effect"

/** The most devices of one recipient that are called at the same time. */
const mostAtOnce = 4

/**
 * If no device took the message, the first of these failures decides: what may have been sent comes first, then what
 * may succeed later.
 */
const order: ReadonlyArray<DeliveryError["_tag"]> = [
  "Unknown",
  "RateLimited",
  "Unavailable",
  "Misconfigured",
  "ContentRejected",
  "RecipientRejected"
]

const deciding = (failures: Array.NonEmptyReadonlyArray<DeliveryError>): DeliveryError => {
  const [first] = failures.toSorted((a, b) => order.indexOf(a._tag) - order.indexOf(b._tag))
  const error = first ?? failures[0]
  return error._tag === "RecipientRejected"
    ? new RecipientRejected({
      detail: error.detail,
      invalidates: failures.every((one) => one._tag === "RecipientRejected" && one.invalidates === true)
    })
    : error
}

/** The acceptances of several devices as one. */
const together = ([first, ...others]: Array.NonEmptyReadonlyArray<Acceptance>): Acceptance => {
  const tickets = [first, ...others].flatMap(({ tickets = [] }) => tickets)
  return tickets.length === 0 ? first : { ...first, tickets }
}

/**
 * Sends to every address of a recipient, and to no more than a user has devices that are sent to: no profile becomes a
 * broadcast. If one takes the message it counts as accepted, since a repeat would reach
 * that device twice. The recipient is invalidated only if all of the addresses are dead.
 */
export const each = Effect.fnUntraced(function*<To>(
  addresses: ReadonlyArray<To>,
  send: (to: To) => Effect.Effect<Acceptance, DeliveryError>
) {
  const [only, second] = addresses
  if (only !== undefined && second === undefined) return yield* send(only)
  const [taken, failures] = yield* Effect.partition(addresses.slice(0, mostReachable), send, {
    concurrency: mostAtOnce
  })
  if (Array.isReadonlyArrayNonEmpty(taken)) return together(taken)
  if (Array.isReadonlyArrayNonEmpty(failures)) return yield* deciding(failures)
  return yield* new RecipientRejected({ detail: "The recipient has no address for this provider", invalidates: false })
})

/** A list may have objects, as the published client's types have it for Expo. */
const listed = (item: Schema.Json): Schema.Json | undefined => isObject(item) ? item["token"] : item

const texts = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  (isList(value) ? value.map(listed) : [value]).filter((one) => typeof one === "string").filter((one) => one !== "")

/** Device tokens as profiles hold them: a string, or a list of strings or of objects with a `token` (api.md 2.2). */
export const tokens = (value: Schema.Json | undefined): ReadonlyArray<string> => [...new Set(texts(value))]

/** Device tokens under `token` and `tokens`; a bare string does not count as one (api.md 2.2). */
export const tokensOf = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  isObject(value) ? [...new Set([...texts(value["token"]), ...texts(value["tokens"])])] : []
