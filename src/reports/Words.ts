import * as Text from "#schemas/Text.ts"

const longestRead = 500
const longest = 200

/**
 * A provider's words without addresses and phone numbers: mail servers quote the address that they refuse, and it does
 * not belong in a timeline (P9).
 */
export const words = (text: string): string =>
  Text.stored(
    text.slice(0, longestRead).replaceAll(/[^\s<>()"',;:]+@[^\s<>()"',;]+/g, "(address)").replaceAll(
      /\+?\d{7,}/g,
      "(number)"
    ),
    longest
  )
