import { Schema } from "effect"

/** Text that a database keeps and finds as it is written: a text column refuses a NUL, and half a character would be kept as another one. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

/** What is said of text that is not storable. */
export const unstorable = "Expected text without NUL or lone surrogates"

/** The same of a field of the API. */
export const storable = Schema.isPattern(/^[^\u0000\ud800-\udfff]*$/u, { message: unstorable })

/** What a database keeps of text that others wrote, and no book of it: its first `longest` characters at the most. */
export const stored = (text: string, longest: number): string =>
  text.replaceAll("\u0000", "").slice(0, longest).toWellFormed()
