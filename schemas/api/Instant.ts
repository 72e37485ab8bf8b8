import { refuse } from "#schemas/SchemaRefusal.ts"
import { fromIso } from "#schemas/WrittenTime.ts"
import { Effect, Schema, SchemaTransformation } from "effect"

const digits = /^\d{1,15}$/

/** A point in time as callers write it in a query: ISO 8601, or epoch ms. */
export const Instant = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transformEffect({
      decode: (text) => {
        const time = digits.test(text) ? Number(text) : fromIso(text)
        return time === undefined
          ? refuse("Expected an ISO 8601 date-time or epoch milliseconds")
          : Effect.succeed(time)
      },
      encode: (time) => Effect.succeed(String(time))
    })
  )
).annotate({ description: "ISO 8601, or epoch milliseconds." })
