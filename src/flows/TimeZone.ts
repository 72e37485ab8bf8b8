import { utc } from "#src/flows/Instant.ts"
import { DateTime, Option } from "effect"

const offset = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?$/i

/** A zone by its IANA name, or as `UTC±n` (api.md 26.6). */
export const parse = (name: string): Option.Option<DateTime.TimeZone> => {
  const said = offset.exec(name.trim())
  if (said === null) return DateTime.zoneFromString(name.trim())
  const [, sign = "+", hours = "0", minutes = "0"] = said
  const total = Number(hours) * 60 + Number(minutes)
  return Number(minutes) >= 60 || total > 14 * 60
    ? Option.none()
    : Option.some(DateTime.zoneMakeOffset((sign === "-" ? -total : total) * 60_000))
}

/** The first of these names that is a time zone, otherwise UTC. */
export const first = (names: ReadonlyArray<unknown>): DateTime.TimeZone => {
  for (const name of names) {
    const zone = typeof name === "string" ? parse(name) : Option.none()
    if (Option.isSome(zone)) return zone.value
  }
  return utc
}
