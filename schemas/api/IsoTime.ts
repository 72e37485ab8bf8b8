import { DateTime, Schema, SchemaTransformation } from "effect"

/** Epoch ms, on the wire an ISO 8601 date-time in UTC. For the fields that api.md 1.6 lists. */
export const IsoTime = Schema.String.annotate({ format: "date-time" }).pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transform({
      decode: (text) => DateTime.toEpochMillis(DateTime.makeUnsafe(text)),
      encode: (time) => DateTime.formatIso(DateTime.makeUnsafe(time))
    })
  )
)
