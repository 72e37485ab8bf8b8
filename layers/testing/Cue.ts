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

const of = <Wait extends Schema.Constraint>(after: Schema.Codec<number>, retryAfter: Wait) =>
  Schema.TaggedUnion({
    Accept: { after },
    Refuse: { after, kind: Kind, retryAfter },
    Lose: { after, taken: Schema.Boolean, proved: Schema.Boolean }
  }).annotate({ expected: "one of Accept, Refuse and Lose for its _tag" })

const whole = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** A story lasts no longer, in ms: 30 days. */
const longest = 30 * 24 * 3_600_000

/**
 * What a provider does with one call. `after` is when the caller hears of it, and `retryAfter` how long the provider
 * asks it to wait, both in ms; only `RateLimited` and `Unavailable` carry the latter. Who hears of it after the provider's
 * `deadline` (15 s) hears nothing: `{ _tag: "Accept", after: 60_000 }` is a provider that takes the message and hangs.
 * - `Accept`: takes the message.
 * - `Refuse`: answers with an error of this kind. It has taken the message only if the kind is `Unknown`.
 * - `Lose`: the connection breaks. `taken`: the provider has the message nevertheless. `proved`: it has not, whatever
 *   `taken` says, and the caller can tell so (such as by a refused connection).
 */
export const Cue = of(upTo(longest), Schema.optional(Schema.NullOr(whole)))
export type Cue = typeof Cue.Type

/** A cue as it is drawn, with times that are short enough for a world of some minutes. */
export const DrawnCue = of(upTo(20_000), Schema.NullOr(upTo(60_000)))

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
