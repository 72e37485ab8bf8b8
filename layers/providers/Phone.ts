import type { Profile } from "#schemas/Profile.ts"

/** The phone number of a profile, as a list of none or one, which `recipients` of a vendor gives. */
export const recipients = (profile: Profile): ReadonlyArray<string> => {
  const number = profile["phone_number"]
  return typeof number === "string" && number !== "" ? [number] : []
}
