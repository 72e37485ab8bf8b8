import { fromEpoch } from "#schemas/api/Instant.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Instant from "#src/flows/Instant.ts"
import { Duration, Option } from "effect"

/** A time in epoch ms. Of a number, api.md §3 says that it is an `epoch`, but not its unit: `fromEpoch` decides. */
const instantOf = (at: unknown): number | undefined => {
  if (typeof at === "number") return fromEpoch(at)
  return typeof at === "string" ? Instant.parse(at, Instant.utc) : undefined
}

/** A duration in ms, from a number of ms or from an ISO 8601 duration in weeks, days, hours, minutes and seconds. */
const durationOf = (lasts: unknown): number | undefined => {
  const millis = typeof lasts === "string"
    ? Option.getOrUndefined(Option.map(Duration.fromIso(lasts), Duration.toMillis))
    : lasts
  return typeof millis === "number" && millis > 0 ? millis : undefined
}

/**
 * When an in-app message that was stored at `storedAt` disappears, in epoch ms (api.md §3, `expiry`): at `expires_at`,
 * or else after `expires_in`. `undefined`: never. A value that cannot be read, as some in the published client's own
 * examples, counts as absent.
 */
export const of = ({ expiry }: Instructions, storedAt: number): number | undefined => {
  const lasts = durationOf(expiry?.["expires_in"])
  const at = instantOf(expiry?.["expires_at"]) ?? (lasts === undefined ? undefined : storedAt + lasts)
  return at === undefined || !Number.isSafeInteger(Math.round(at)) ? undefined : Math.round(at)
}
