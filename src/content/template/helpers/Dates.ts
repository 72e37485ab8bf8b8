import type { Value } from "#schemas/Json.ts"
import { fromIso } from "#schemas/WrittenTime.ts"
import { textOf } from "#src/content/Own.ts"
import { type Helper, text } from "#src/content/template/Helper.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"
import { strftime } from "#src/content/template/helpers/Strftime.ts"
import * as TimeZone from "#src/flows/TimeZone.ts"
import { DateTime, Option } from "effect"

/** On the first and the last day of the calendar, some zones have no date. */
const isEverywhere = (time: DateTime.Utc): boolean =>
  Math.abs(DateTime.toEpochMillis(time)) <= 8_640_000_000_000_000 - 86_400_000

const made = (value: Value): Option.Option<DateTime.Utc> => {
  const millis = numberOf(value) ?? fromIso(textOf(value))
  return millis === undefined ? Option.none() : DateTime.make(millis)
}

/** A time given as epoch ms or ISO 8601 text; text without a zone is UTC. */
export const timeOf = (value: Value): Option.Option<DateTime.Utc> => Option.filter(made(value), isEverywhere)

const noDate = (name: string, value: Value): string => `${name}: "${textOf(value).slice(0, 80)}" is not a date`

/** The cost of formatting in a zone, in steps. */
const stepsOfFormat = 32

const longestPattern = 256

const zoneName = /^[A-Za-z0-9_+\-/:]{1,64}$/

const format = (name: string): Helper => ([value, pattern, zone], _, around) => {
  const { budget } = around
  if (!budget.step(stepsOfFormat)) return undefined
  const time = Option.getOrUndefined(timeOf(value))
  if (time === undefined) {
    budget.fail(noDate(name, value))
    return undefined
  }
  const named = text(zone, around).trim() || "UTC"
  const found = zoneName.test(named) ? Option.getOrUndefined(TimeZone.parse(named)) : undefined
  const codes = text(pattern, around)
  if (found !== undefined && codes.length <= longestPattern)
    return strftime(DateTime.setZone(time, found), codes, named)
  budget.fail(
    found === undefined ? `${name}: "${named.slice(0, 80)}" is not a time zone` : `${name}: the format is too long`
  )
  return undefined
}

const isoToTime: Helper = ([value], _, { budget }) => {
  const time = typeof value === "string" ? Option.getOrUndefined(timeOf(value)) : undefined
  if (time === undefined) budget.fail(noDate("swu_iso8601_to_time", value))
  return time === undefined ? undefined : DateTime.toEpochMillis(time)
}

const timestampToTime: Helper = ([value], _, { budget }) => {
  const seconds = numberOf(value)
  const time = seconds === undefined ? undefined : Option.getOrUndefined(DateTime.make(seconds * 1_000))
  if (time === undefined) budget.fail(noDate("swu_timestamp_to_time", value))
  return time === undefined ? undefined : DateTime.toEpochMillis(time)
}

export const dates: Readonly<Record<string, Helper>> = {
  "datetime-format": format("datetime-format"),
  "swu_datetimeformat": format("swu_datetimeformat"),
  "swu_iso8601_to_time": isoToTime,
  "swu_timestamp_to_time": timestampToTime
}
