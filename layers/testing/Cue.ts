import {
  ContentRejected,
  type DeliveryError,
  Kind,
  Misconfigured,
  RateLimited,
  RecipientRejected,
  Unavailable,
  Unknown
} from "#schemas/DeliveryError.ts"
import { Schema } from "effect"

const after = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 }))
/** How long the provider asks the caller to wait, in ms. Only `RateLimited` and `Unavailable` carry it. */
const retryAfter = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 })))

/**
 * What a provider does with one call. `after` is when the caller hears of it, in ms.
 * - `Accept`: takes the message.
 * - `Refuse`: answers with an error of this kind. It has taken the message only if the kind is `Unknown`.
 * - `Lose`: the connection breaks. `taken`: the provider has the message nevertheless. `proved`: it has not, whatever
 *   `taken` says, and the caller can tell so (such as by a refused connection).
 */
export const Cue = Schema.TaggedUnion({
  Accept: { after },
  Refuse: { after, kind: Kind, retryAfter },
  Lose: { after, taken: Schema.Boolean, proved: Schema.Boolean }
})
export type Cue = typeof Cue.Type

/** What a healthy provider does. */
export const promptly: Cue = { _tag: "Accept", after: 20 }

export const duration = ({ after }: Cue): number => after

/** Whether the provider takes the message. `Unknown` leaves that open to the caller; here it is taken. */
export const takes = (cue: Cue): boolean => {
  switch (cue._tag) {
    case "Accept":
      return true
    case "Refuse":
      return cue.kind === "Unknown"
    case "Lose":
      return cue.taken && !cue.proved
  }
}

/** What the caller learns; `lost`: it cannot know whether the message was taken. */
export const told = (cue: Cue): "accepted" | "refused" | "lost" => {
  switch (cue._tag) {
    case "Accept":
      return "accepted"
    case "Refuse":
      return cue.kind === "Unknown" ? "lost" : "refused"
    case "Lose":
      return cue.proved ? "refused" : "lost"
  }
}

export const errorOf = ({ kind, retryAfter }: Extract<Cue, { readonly _tag: "Refuse" }>): DeliveryError => {
  const detail = `The provider answered ${kind}`
  const wait = { detail, retryAfter: retryAfter ?? undefined }
  switch (kind) {
    case "RateLimited":
      return new RateLimited(wait)
    case "Unavailable":
      return new Unavailable(wait)
    case "Misconfigured":
      return new Misconfigured({ detail })
    case "RecipientRejected":
      return new RecipientRejected({ detail })
    case "ContentRejected":
      return new ContentRejected({ detail })
    case "Unknown":
      return new Unknown({ detail })
  }
}
