import { Schema } from "effect"

/** A language tag, with hyphens or underscores: `de`, `de-AT`, `zh_Hant_TW`. */
export const Locale = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9]{1,16}(?:[-_][A-Za-z0-9]{1,16}){0,4}$/, { message: "Expected a locale such as de-AT" })
)
