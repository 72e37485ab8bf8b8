import { refuse } from "#schemas/SchemaRefusal.ts"
import { fromEpoch, fromIso } from "#schemas/WrittenTime.ts"
import { Effect, Schema, SchemaTransformation } from "effect"

const digits = /^\d{1,15}$/

/** The space that the plus of an offset becomes in a query if it is not percent-encoded; it follows a time of day. */
const plus = /(?<=:[\d.]+) (?=\d\d:?\d\d$)/

/** A point in time as callers write it in a query: ISO 8601, or epoch ms or s. */
export const Instant = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transformEffect({
      decode: (text) => {
        const time = digits.test(text) ? fromEpoch(Number(text)) : fromIso(text.replace(plus, "+"))
        return time === undefined
          ? refuse("Expected an ISO 8601 date-time or epoch milliseconds")
          : Effect.succeed(time)
      },
      encode: (time) => Effect.succeed(String(time))
    })
  )
).annotate({ description: "ISO 8601, or epoch milliseconds or seconds." })
