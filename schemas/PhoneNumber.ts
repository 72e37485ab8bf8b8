/** Spaces, hyphens of any kind, and the invisible marks that come with a number that is copied from an address book. */
const signs = /[\s().\p{Pd}\u2212\p{Cf}]/gu

/** The text in E.164, without the spaces and signs that people write between digits; `undefined` for anything else. */
export const e164 = (text: string): string | undefined => {
  const digits = text.replaceAll(signs, "")
  return /^\+[1-9]\d{4,14}$/.test(digits) ? digits : undefined
}
