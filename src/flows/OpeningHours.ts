import { DateTime, Option } from "effect"

/**
 * From `from` up to but not including `to`, in minutes of a local day; above 1,440 it runs into the next day. Of dates:
 * `MMDD`, both included.
 */
interface Span {
  readonly from: number
  readonly to: number
}

/**
 * One rule: on which days (`dates` as `MMDD`, `weekdays` with 0 for Sunday; `undefined`: all) it is open when. No
 * `open` spans: it is closed on them.
 */
interface Rule {
  readonly dates: ReadonlyArray<Span> | undefined
  readonly weekdays: ReadonlySet<number> | undefined
  readonly open: ReadonlyArray<Span>
}

/** When a recipient may be reached. If several rules cover a day, the last one counts. */
export type OpeningHours = ReadonlyArray<Rule>

/** How far ahead an opening may be (api.md 26.6). */
const mostDays = 90

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const weekdays = ["su", "mo", "tu", "we", "th", "fr", "sa"]

const month = `(?:${months.join("|")})`
const weekday = `(?:${weekdays.join("|")})`
// A day of the month, which is neither the hour of a time nor its first digit.
const monthDay = `${month}(?: ?\\d{1,2}(?![\\d:]))?`
// A space is only ever matched together with what follows it. If two parts could match it, the expression would
// backtrack exponentially on a long list.
const date = `${monthDay}(?: ?- ?(?:${monthDay}|\\d{1,2}(?![\\d:])))?`
const day = `${weekday}(?: ?- ?${weekday})?`
const clock = "\\d{1,2}:[0-5]\\d(?: ?[ap]m)?"
const time = `${clock} ?- ?${clock}`
const list = (item: string): string => `${item}(?: ?, ?${item})*`
const rule = new RegExp(`^(${list(date)})?:? ?(${list(day)})? ?(${list(time)}|off|closed|24/7)?$`)

const items = (text: string): ReadonlyArray<string> => text.split(",").map((item) => item.trim())

/** Reads `dec 24-26`, `dec 24-jan 2`, `jan-mar` or `jul`. */
const dateSpan = (text: string): Span => {
  const [, first = "", firstDay, , second, secondDay] = /^([a-z]+) ?(\d+)?(?: ?(-) ?([a-z]+)? ?(\d+)?)?$/.exec(text) ??
    []
  const from = (months.indexOf(first) + 1) * 100
  const last = second === undefined ? from : (months.indexOf(second) + 1) * 100
  return {
    from: from + Number(firstDay ?? 1),
    to: last + Number(secondDay ?? (second === undefined ? firstDay : undefined) ?? 31)
  }
}

const daysOf = (text: string): ReadonlyArray<number> => {
  const [first = "", last = first] = text.split("-").map((name) => name.trim())
  const [from, to] = [weekdays.indexOf(first), weekdays.indexOf(last)]
  return Array.from({ length: (to - from + 7) % 7 + 1 }, (_, n) => (from + n) % 7)
}

/** Reads `17:30`, `5:30 pm` or, as an example of the compatible service has it, `17:30pm`. */
const minutes = (text: string): number => {
  const [, hours = "", rest = "", half] = /^(\d+):(\d+) ?([ap]m)?$/.exec(text.trim()) ?? []
  const hour = Number(hours)
  if (half === "am" && hour > 12) return Number.NaN
  const shift = half === "pm" && hour < 12 ? 12 : half === "am" && hour === 12 ? -12 : 0
  return (hour + shift) * 60 + Number(rest)
}

const timeSpan = (text: string): Span => {
  const [from = 0, to = 0] = text.split("-").map(minutes)
  return { from, to: to <= from ? to + 1_440 : to }
}

const whole: Span = { from: 0, to: 1_440 }

const isClock = ({ from, to }: Span): boolean => from < 1_440 && to <= 2_880
const isDate = ({ from, to }: Span): boolean => [from, to].every((at) => at % 100 >= 1 && at % 100 <= 31)

const ruleOf = (text: string): Rule | undefined => {
  const [, dates, days, open] = rule.exec(text) ?? []
  if (dates === undefined && days === undefined && open === undefined) return undefined
  const spans = open === undefined || open === "24/7"
    ? [whole]
    : open === "off" || open === "closed"
    ? []
    : items(open).map(timeSpan)
  const parsed = {
    dates: dates === undefined ? undefined : items(dates).map(dateSpan),
    weekdays: days === undefined ? undefined : new Set(items(days).flatMap(daysOf)),
    open: spans
  }
  return spans.every(isClock) && (parsed.dates ?? []).every(isDate) ? parsed : undefined
}

/**
 * Reads `Mo-Fr 09:00-17:00; Sa 10:00-14:00; Dec 24-26 off`: the part of the `opening_hours` grammar with weekdays,
 * times, lists, months and dates (api.md 26.6). `undefined` for anything else.
 */
export const parse = (text: string): OpeningHours | undefined => {
  if (text.length > 1_000) return undefined
  const rules = text.toLowerCase().split(";").map((part) => part.trim().replaceAll(/\s+/g, " ")).filter((part) =>
    part !== ""
  )
    .map(ruleOf)
  const read = rules.filter((found) => found !== undefined)
  return read.length === 0 || read.length < rules.length ? undefined : read
}

const holds = ({ dates, weekdays }: Rule, { day, month, weekDay }: DateTime.DateTime.PartsWithWeekday): boolean => {
  const at = month * 100 + day
  const inDates = dates === undefined ||
    dates.some(({ from, to }) => from <= to ? from <= at && at <= to : from <= at || at <= to)
  return inDates && (weekdays === undefined || weekdays.has(weekDay))
}

const minuteMillis = 60_000

/** The instant of a local time, in epoch ms. A local time that the clocks skip is the first one after it. */
const instant = (date: DateTime.Zoned, minute: number): number => {
  const days = Math.floor(minute / 1_440)
  const { day, month, year } = DateTime.toParts(days === 0 ? date : DateTime.add(date, { days }))
  const local = { year, month, day, hour: Math.floor(minute / 60) % 24, minute: minute % 60 }
  const { zone: timeZone } = date
  return Option.match(DateTime.makeZoned(local, { timeZone, adjustForTimeZone: true }), {
    onNone: () => Number.NaN,
    onSome: (found) => {
      const at = DateTime.toEpochMillis(found)
      const parts = DateTime.toParts(found)
      if (parts.hour === local.hour && parts.minute === local.minute) return at
      // It is skipped, and this is as much later as the clocks skip: go back to where they do.
      const isBefore = (ms: number) =>
        DateTime.zonedOffset(DateTime.makeZonedUnsafe(ms, { timeZone })) !== DateTime.zonedOffset(found)
      let first = at
      while (!isBefore(first - minuteMillis)) first -= minuteMillis
      return first
    }
  })
}

/** Which rule counts on a day; -1: none. */
const ruleOn = (hours: OpeningHours, date: DateTime.Zoned): number => {
  const parts = DateTime.toParts(date)
  return hours.findLastIndex((one) => holds(one, parts))
}

/** When it is open from a day on. A day that a later rule closes is closed from its midnight on: no night before runs into it. */
const spansOf = (hours: OpeningHours, date: DateTime.Zoned): ReadonlyArray<Span> => {
  const rule = ruleOn(hours, date)
  const open = hours[rule]?.open ?? []
  if (open.every(({ to }) => to <= whole.to)) return open
  const after = ruleOn(hours, DateTime.add(date, { days: 1 }))
  const isCut = after > rule && hours[after]?.open.length === 0
  return isCut ? open.map(({ from, to }) => ({ from, to: Math.min(to, whole.to) })) : open
}

/** The first instant from `now` on at which it is open, in epoch ms; `undefined`: there is none in the next 90 days. */
export const next = (hours: OpeningHours, zone: DateTime.TimeZone, now: number): number | undefined => {
  // Days are counted at noon, which no clocks skip: where they skip the hour before midnight, a day later than 23:30 is the
  // day after the next.
  const noon = { hour: 12, minute: 0, second: 0, millisecond: 0 }
  const today = DateTime.setParts(DateTime.setZone(DateTime.makeUnsafe(now), zone), noon)
  for (let days = -1; days <= mostDays; days++) {
    const date = DateTime.add(today, { days })
    const starts = spansOf(hours, date).flatMap(({ from, to }) => {
      const start = Math.max(now, instant(date, from))
      return instant(date, to) > start ? [start] : []
    })
    if (starts.length > 0) return Math.min(...starts)
  }
  return undefined
}
