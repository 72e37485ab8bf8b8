import type { Profile } from "#schemas/Profile.ts"

/** The number of a profile, in the form in which `recipients` wants it. */
export const recipients = (profile: Profile): ReadonlyArray<string> => {
  const number = profile["phone_number"]
  return typeof number === "string" && number !== "" ? [number] : []
}

/** E.164 without what people write between the digits; `undefined` for anything else. */
export const e164 = (text: string): string | undefined => {
  const digits = text.replaceAll(/[\s().-]/g, "")
  return /^\+[1-9]\d{4,14}$/.test(digits) ? digits : undefined
}
