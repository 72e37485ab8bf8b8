import { refuse } from "#schemas/SchemaRefusal.ts"
import { Effect, Schema, SchemaTransformation } from "effect"

/** The scopes that a user's token may have (api.md 17). */
const known =
  /^(?:user_id:.+|(?:read|write):brands(?::.+)?|read:messages|(?:read|write):(?:user-tokens|preferences)|inbox:(?:read:messages|write:events))$/

/**
 * Scopes as callers write them: one text, separated by spaces. Unknown ones are refused, since their author may have
 * meant a restriction.
 */
export const TokenScopes = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Array(Schema.String),
    SchemaTransformation.transformEffect({
      decode: (text) => {
        const scopes: ReadonlyArray<string> = text.split(/\s+/).filter((scope) => scope !== "")
        if (scopes.length === 0) return refuse("Expected at least one scope")
        return scopes.every((scope) => known.test(scope))
          ? Effect.succeed(scopes)
          : refuse("Expected scopes such as user_id:<id>, read:messages, write:user-tokens, separated by spaces")
      },
      encode: (scopes) => Effect.succeed(scopes.join(" "))
    })
  )
)

/** The units of `Lifetime`, in ms. A year is 365.25 days, as in the `ms` library that callers know. */
const units: ReadonlyArray<readonly [name: RegExp, ms: number]> = [
  [/^(?:milliseconds?|msecs?|ms)?$/, 1],
  [/^(?:seconds?|secs?|s)$/, 1_000],
  [/^(?:minutes?|mins?|m)$/, 60_000],
  [/^(?:hours?|hrs?|h)$/, 3_600_000],
  [/^(?:days?|d)$/, 86_400_000],
  [/^(?:weeks?|w)$/, 604_800_000],
  [/^(?:years?|yrs?|y)$/, 31_557_600_000]
]

const longest = 100 * 31_557_600_000

const millisecondsOf = (text: string): number => {
  const [, number, name] = /^(\d{0,20}\.?\d{1,20}) *([a-z]{0,12})$/.exec(text.trim().toLowerCase()) ?? []
  const unit = name === undefined ? undefined : units.find(([of]) => of.test(name))
  return number === undefined || unit === undefined ? Number.NaN : Number(number) * unit[1]
}

/**
 * How long a token is valid, in ms. Callers write a text such as `2 hours`, `1d` or `2.5 hrs`, or a number of seconds;
 * from a second to a hundred years.
 */
export const Lifetime = Schema.Union([Schema.String, Schema.Finite]).pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transformEffect({
      decode: (given) => {
        const ms = typeof given === "number" ? given * 1_000 : millisecondsOf(given)
        return ms >= 1_000 && ms <= longest
          ? Effect.succeed(ms)
          : refuse("Expected a time such as 2 hours or 1d, or a number of seconds")
      },
      encode: (ms) => Effect.succeed(`${ms} ms`)
    })
  )
)
