import type { Instructions } from "#schemas/SendMessage.ts"
import { fromEpoch } from "#schemas/WrittenTime.ts"
import * as Instant from "#src/flows/Instant.ts"
import { DateTime, Duration, Option } from "effect"

const epoch = /^\d{9,16}$/

/**
 * A time in epoch ms. Of a number, api.md §3 says that it is an `epoch`, but not its unit: `fromEpoch` decides. The
 * published client has it in a string.
 */
const instantOf = (at: unknown): number | undefined => {
  if (typeof at === "number") return fromEpoch(at)
  if (typeof at !== "string") return undefined
  return epoch.test(at) ? fromEpoch(Number(at)) : Instant.parse(at, Instant.utc)
}

const calendar = /^P(?:(\d+)Y)?(?:(\d+)M)?(.*)$/

const digits = /^\d{1,16}$/

/**
 * When it has lasted for so long from `start` (epoch ms): a number of ms, also in a string, or an ISO 8601 duration,
 * whose years and months are those of the calendar.
 */
const endOf = (lasts: unknown, start: number): number | undefined => {
  if (typeof lasts === "number") return lasts > 0 ? start + lasts : undefined
  if (typeof lasts === "string" && digits.test(lasts)) return endOf(Number(lasts), start)
  const [, years = "0", months = "0", rest = ""] = typeof lasts === "string" ? calendar.exec(lasts) ?? [] : []
  const others = rest === "" ? Option.some(Duration.zero) : Duration.fromIso(`P${rest}`)
  const end = Option.flatMap(others, (duration) =>
    Option.map(
      DateTime.make(start),
      (from) =>
        DateTime.toEpochMillis(DateTime.add(from, { years: Number(years), months: Number(months) }))
        + Duration.toMillis(duration)
    ))
  return Option.getOrUndefined(Option.filter(end, (at) => at > start))
}

/**
 * When an in-app message that was stored at `storedAt` disappears, in epoch ms (api.md §3, `expiry`): at `expires_at`,
 * or else after `expires_in`. `undefined`: never. A value that cannot be read, as some in the published client's own
 * examples, counts as absent.
 */
export const of = ({ expiry }: Pick<Instructions, "expiry">, storedAt: number): number | undefined => {
  const at = instantOf(expiry?.["expires_at"]) ?? endOf(expiry?.["expires_in"], storedAt)
  return at === undefined || !Number.isSafeInteger(Math.round(at)) ? undefined : Math.round(at)
}

/** Whether an in-app message that is stored at `now` (epoch ms) has disappeared by then, so that nobody would see it. */
export const isOver = (instructions: Pick<Instructions, "expiry">, now: number): boolean => {
  if (instructions.expiry === undefined || instructions.expiry === null) return false
  const end = of(instructions, now)
  return end !== undefined && end <= now
}
