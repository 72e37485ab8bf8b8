import {
  ContentRejected,
  type DeliveryError,
  type Kind,
  Misconfigured,
  RateLimited,
  RecipientRejected,
  Unavailable,
  Unknown
} from "#schemas/DeliveryError.ts"

/**
 * How long a provider is left alone that says that what we may send in a day is sent, in ms, as it most often does not
 * say when it takes more: it would be asked twice a minute all day. Amazon's advice for SES, whose day ends with each
 * message's own.
 */
export const usedUp = 600_000

/** What a row of an error table makes of a refusal. */
export interface Verdict {
  readonly kind: Kind
  /** With `RecipientRejected`: the address is dead for good. */
  readonly invalidates?: boolean
  /** With `RateLimited` and `Unavailable`: only this recipient is refused for now, and others may be served. */
  readonly ofRecipient?: boolean
  /** With `RateLimited` and `Unavailable`: how long the provider is left alone at least, in ms, whatever it names. */
  readonly wait?: number
}

/** The error of a verdict, with this detail; `named` in ms, if the answer named a wait. */
export const toError = (
  { invalidates, kind, ofRecipient, wait }: Verdict,
  detail: string,
  named?: number
): DeliveryError => {
  const retryAfter = wait === undefined ? named : Math.max(wait, named ?? 0)
  const later = ofRecipient === true ? { detail, retryAfter, ofRecipient } : { detail, retryAfter }
  switch (kind) {
    case "RateLimited":
      return new RateLimited(later)
    case "Unavailable":
      return new Unavailable(later)
    case "Misconfigured":
      return new Misconfigured({ detail })
    case "RecipientRejected":
      return new RecipientRejected({ detail, invalidates: invalidates === true })
    case "ContentRejected":
      return new ContentRejected({ detail })
    case "Unknown":
      return new Unknown({ detail })
  }
}
