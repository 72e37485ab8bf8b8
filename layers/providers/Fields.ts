import type { Schema } from "effect"

/** The first of these fields that is a string. */
export const text = (fields: Schema.JsonObject, ...names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === "string") return value
  }
  return undefined
}
