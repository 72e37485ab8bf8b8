import { type DeliveryError, RecipientRejected } from "#schemas/DeliveryError.ts"
import { isList, isObject } from "#schemas/Json.ts"
import type { Acceptance } from "#src/delivery/Provider.ts"
import { Array, Effect, type Schema } from "effect"

/** A person's devices are few; more than these are left out, so that one profile cannot be a broadcast. */
const most = 20

/** Which failure decides where no device took the message: first what may have been sent, then what may be later. */
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

/**
 * Sends to every address of a recipient. One that takes the message makes it accepted, since a repeat would reach that
 * device twice; an address is dead only when all are.
 */
export const each = Effect.fnUntraced(function*<To>(
  addresses: ReadonlyArray<To>,
  send: (to: To) => Effect.Effect<Acceptance, DeliveryError>
) {
  const [only, second] = addresses
  if (only !== undefined && second === undefined) return yield* send(only)
  const [taken, failures] = yield* Effect.partition(addresses.slice(0, most), send, { concurrency: 4 })
  if (taken[0] !== undefined) return taken[0]
  if (Array.isReadonlyArrayNonEmpty(failures)) return yield* deciding(failures)
  return yield* new RecipientRejected({ detail: "The recipient has no address for this provider", invalidates: false })
})

const texts = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  (isList(value) ? value : [value]).filter((one) => typeof one === "string").filter((one) => one !== "")

/** Device tokens as profiles hold them: a string or a list of them (api.md 2.2). */
export const tokens = (value: Schema.Json | undefined): ReadonlyArray<string> => [...new Set(texts(value))]

/** Device tokens under `token` and `tokens`; a bare string is none (api.md 2.2). */
export const tokensOf = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  isObject(value) ? [...new Set([...texts(value["token"]), ...texts(value["tokens"])])] : []
