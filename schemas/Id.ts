import { Schema } from "effect"

/** A caller's id or name: any text of 1–512 characters that Postgres can hold, so no NUL and no half of a surrogate pair. */
export const Id = Schema.NonEmptyString.check(
  Schema.isMaxLength(512),
  Schema.isPattern(/^[^\u0000\ud800-\udfff]*$/u, { message: "Expected text without NUL or lone surrogates" })
)

/** The name of something that need not be there: any text that can be looked for, so no NUL. */
export const Reference = Schema.String.check(
  Schema.isPattern(/^[^\u0000]*$/, { message: "Expected text without NUL" })
)
