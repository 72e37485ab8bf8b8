import { refuse } from "#schemas/SchemaRefusal.ts"
import { Effect, Schema, SchemaTransformation } from "effect"

const Empty = Schema.Literal("").pipe(
  Schema.decodeTo(
    Schema.Undefined,
    SchemaTransformation.transform({ decode: () => undefined, encode: () => "" as const })
  )
)

/**
 * A parameter that may be left out, or empty: the published client sends `null` as an empty value (api.md, Annex C.2).
 */
export const given = <S extends Schema.Top>(schema: S) =>
  // A repeated parameter has several values, which match neither member: hence the message.
  Schema.optionalKey(Schema.Union([Empty, schema]).annotate({ message: "Expected one value" }))

/** One value of a query parameter. */
export const Text = given(Schema.String)

/** Several values: comma-joined, as the published client does, or as a repeated parameter. */
export const Texts = Schema.optionalKey(Schema.Array(Schema.String))

/** The single values of a `Texts`. */
export const members = (texts: ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  texts === undefined
    ? []
    : texts.flatMap((text) => text.split(",")).map((text) => text.trim()).filter((text) => text !== "")

/** `true` or `false`. */
export const Flag = given(
  Schema.Literals(["true", "false"]).pipe(
    Schema.decodeTo(
      Schema.Boolean,
      SchemaTransformation.transform({
        decode: (text) => text === "true",
        encode: (flag) => flag ? "true" as const : "false" as const
      })
    )
  )
)

/** Items in a page: a number outside 1 to `longest` is clamped. */
export const limitOf = (longest: number) =>
  given(
    Schema.String.pipe(
      Schema.decodeTo(
        Schema.Int,
        SchemaTransformation.transformEffect({
          decode: (text) =>
            /^-?\d+$/.test(text)
              ? Effect.succeed(Math.min(Math.max(Number(text), 1), longest))
              : refuse("Expected a whole number"),
          encode: (limit) => Effect.succeed(String(limit))
        })
      )
    )
  )

/** Items in a page: a number outside 1–100 is clamped. */
export const Limit = limitOf(100)

/** Items in a page without `limit`. */
export const defaultLimit = 50
