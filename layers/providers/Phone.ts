import { RecipientRejected } from "#schemas/DeliveryError.ts"
import * as PhoneNumber from "#schemas/PhoneNumber.ts"
import type { Profile } from "#schemas/Profile.ts"
import { Result } from "effect"

/** The number in E.164, as vendors are told; what is none is refused before any call. */
export const ofRecipient = (text: string): Result.Result<string, RecipientRejected> => {
  const number = PhoneNumber.e164(text)
  return number === undefined
    ? Result.fail(new RecipientRejected({ detail: "Not a phone number in E.164", invalidates: false }))
    : Result.succeed(number)
}

/** The phone number of a profile, as a list of none or one, which `recipients` of a vendor gives. */
export const recipients = (profile: Profile): ReadonlyArray<string> => {
  const number = profile["phone_number"]
  return typeof number === "string" && number !== "" ? [number] : []
}
