import type { Schema } from "effect"

/** Whether a caller's value is an object with fields. */
export const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The first of these fields that holds text. */
export const text = (fields: Schema.JsonObject, ...names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === "string") return value
  }
  return undefined
}
