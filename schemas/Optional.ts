import { Schema } from "effect"

/**
 * A field that may be absent or, as the published client types most of them, `null`. Both mean "not given" (api.md
 * 1.8).
 */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))

/** An open map of caller data: JSON under keys of the caller's choice. */
export const JsonMap = Schema.Record(Schema.String, Schema.Json)
export type JsonMap = typeof JsonMap.Type
