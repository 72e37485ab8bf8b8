import type { Profile } from "#schemas/Profile.ts"

/** The phone number of a profile, as a list of none or one, which `recipients` of a vendor gives. */
export const recipients = (profile: Profile): ReadonlyArray<string> => {
  const number = profile["phone_number"]
  return typeof number === "string" && number !== "" ? [number] : []
}

/** Spaces, hyphens of any kind, and the invisible marks that come with a number that is copied from an address book. */
const signs = /[\s().\p{Pd}\u2212\p{Cf}]/gu

/** The text in E.164, without the spaces and signs that people write between digits; `undefined` for anything else. */
export const e164 = (text: string): string | undefined => {
  const digits = text.replaceAll(signs, "")
  return /^\+[1-9]\d{4,14}$/.test(digits) ? digits : undefined
}
