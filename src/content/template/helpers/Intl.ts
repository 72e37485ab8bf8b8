import type { Value } from "#schemas/Json.ts"
import { memo } from "#src/cache/Memo.ts"
import type { Budget } from "#src/content/Budget.ts"
import { languageOf } from "#src/content/elemental/Locales.ts"
import { textOf } from "#src/content/Own.ts"
import type { Helper } from "#src/content/template/Helper.ts"
import { timeOf } from "#src/content/template/helpers/Dates.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"
import { DateTime, Option, Result, Schema } from "effect"

/** The cost of making a formatter and of using it, in steps. */
const steps = { make: 256, use: 4 } as const

const count = Schema.optionalKey(Schema.Number)
const flag = Schema.optionalKey(Schema.Boolean)
const text = Schema.optionalKey(Schema.String)
const oneOf = <const Words extends ReadonlyArray<string>>(...words: Words) => Schema.optionalKey(Schema.Literals(words))

/** What `Intl.NumberFormat` takes, with the names of its options. */
const NumberOptions = Schema.Struct({
  style: oneOf("decimal", "percent", "currency", "unit"),
  currency: text,
  currencyDisplay: oneOf("code", "symbol", "narrowSymbol", "name"),
  currencySign: oneOf("standard", "accounting"),
  unit: text,
  unitDisplay: oneOf("short", "long", "narrow"),
  notation: oneOf("standard", "scientific", "engineering", "compact"),
  compactDisplay: oneOf("short", "long"),
  signDisplay: oneOf("auto", "never", "always", "exceptZero"),
  useGrouping: flag,
  minimumIntegerDigits: count,
  minimumFractionDigits: count,
  maximumFractionDigits: count,
  minimumSignificantDigits: count,
  maximumSignificantDigits: count
})

/** What `Intl.DateTimeFormat` takes. */
const DateOptions = Schema.Struct({
  dateStyle: oneOf("full", "long", "medium", "short"),
  timeStyle: oneOf("full", "long", "medium", "short"),
  weekday: oneOf("long", "short", "narrow"),
  era: oneOf("long", "short", "narrow"),
  year: oneOf("numeric", "2-digit"),
  month: oneOf("numeric", "2-digit", "long", "short", "narrow"),
  day: oneOf("numeric", "2-digit"),
  hour: oneOf("numeric", "2-digit"),
  minute: oneOf("numeric", "2-digit"),
  second: oneOf("numeric", "2-digit"),
  hour12: flag,
  hourCycle: oneOf("h11", "h12", "h23", "h24"),
  timeZone: text,
  timeZoneName: oneOf("long", "short", "shortOffset", "longOffset", "shortGeneric", "longGeneric")
})

type Format = (value: number) => string

/**
 * A formatter by these named arguments, in a language that this machine knows or else in American English. `undefined`
 * where it would be none; made once, and paid for.
 */
const formats = <Options>(
  options: Schema.Decoder<Options>,
  make: (language: string, options: Options) => Format
) => {
  const decode = Schema.decodeUnknownResult(options)
  const made = memo({ entries: 256, characters: 65_536 }, (key, language: string, named: unknown, budget: Budget) => {
    if (!budget.step(steps.make)) return undefined
    const [known = "en-US"] = Result.getOrElse(
      Result.try(() => Intl.NumberFormat.supportedLocalesOf(language)),
      () => []
    )
    return Option.flatMap(
      Result.getSuccess(decode(named)),
      (found) => Result.getSuccess(Result.try(() => make(known, found)))
    )
  })
  return (language: string, named: ReadonlyMap<string, Value>, budget: Budget): Format | undefined => {
    const given = Object.fromEntries(named)
    const key = JSON.stringify([language, given])
    const found = budget.look(key.length) ? made(key, language, given, budget) : undefined
    return found && Option.getOrUndefined(found)
  }
}

const formatter = (
  name: string,
  kind: "number" | "date",
  read: (value: Value) => number | undefined,
  format: ReturnType<typeof formats>
): Helper =>
([value], named, { budget, profile }) => {
  const number = read(value)
  if (number === undefined) budget.fail(`${name}: "${textOf(value).slice(0, 80)}" is not a ${kind}`)
  if (!budget.step(steps.use) || number === undefined) return undefined
  const by = format(languageOf(profile["locale"]) ?? "en-US", named, budget)
  if (by === undefined) budget.fail(`${name}: there is no such format`)
  return by?.(number)
}

const ofNumbers = formats(NumberOptions, (language, options) => {
  const made = new Intl.NumberFormat(language, options)
  return (value) => made.format(value)
})

const ofDates = formats(DateOptions, (language, options) => {
  const made = new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options })
  return (value) => made.format(value)
})

const millis = (value: Value): number | undefined =>
  Option.getOrUndefined(Option.map(timeOf(value), DateTime.toEpochMillis))

/**
 * Numbers and dates as readers of the profile's locale write them, else Americans; in UTC unless a `timeZone` is named.
 * `formatTime` without options is a date, as in the service that templates come from.
 */
export const intl: Readonly<Record<string, Helper>> = {
  "formatDate": formatter("formatDate", "date", millis, ofDates),
  "formatNumber": formatter("formatNumber", "number", numberOf, ofNumbers),
  "formatTime": formatter("formatTime", "date", millis, ofDates)
}
