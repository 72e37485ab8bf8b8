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

/** What a row of an error table makes of a refusal. */
export interface Verdict {
  readonly kind: Kind
  /** With `RecipientRejected`: the address is dead for good. */
  readonly invalidates?: boolean
  /** With `RateLimited` and `Unavailable`: only this recipient is refused for now, and others may be served. */
  readonly ofRecipient?: boolean
}

/** The error of a verdict, with this detail; `retryAfter` in ms, if the answer named a wait. */
export const toError = (
  { invalidates, kind, ofRecipient }: Verdict,
  detail: string,
  retryAfter?: number
): DeliveryError => {
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
