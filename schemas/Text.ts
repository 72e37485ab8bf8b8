import { Schema } from "effect"

/**
 * Whether a database stores and finds a text just as it is written: a text column refuses NUL, and a lone surrogate
 * would be stored as another character.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

/** The refusal of text that is not storable. */
export const unstorable = "Expected text without NUL or lone surrogates"

/** The check `isStorable` for a field of the API. */
export const storable = Schema.isPattern(/^[^\u0000\ud800-\udfff]*$/u, { message: unstorable })

/**
 * Makes a text that others wrote storable: without NUL, lone surrogates replaced, at most its first `longest`
 * characters.
 */
export const stored = (text: string, longest: number): string =>
  text.replaceAll("\u0000", "").slice(0, longest).toWellFormed()

/** Moves surrogates behind all other UTF-16 units, as the code points that they encode come behind all others. */
const weight = (unit: number): number => unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800

/** Compares by code points, as do UTF-8 bytes and Postgres's collation "C"; JavaScript compares UTF-16 units. */
export const compare = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return weight(left) - weight(right)
  }
  return a.length - b.length
}
