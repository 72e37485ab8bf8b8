import * as Text from "#schemas/Text.ts"
import { RowRefused } from "#src/delivery/Journal.ts"

/**
 * The refusal of a row with these text columns, if the database would refuse one of them. Payloads need no check: they
 * are JSON, which escapes what a text column refuses.
 */
export const refusal = (columns: Iterable<string | null | undefined>): RowRefused | undefined => {
  for (const column of columns) {
    if (typeof column === "string" && !Text.isStorable(column))
      return new RowRefused({ cause: "a text column with a NUL or a lone surrogate" })
  }
  return undefined
}

/**
 * The refusal of a row with these times and waits, if one is no whole ms. The database rounds up what comes from outside
 * (a due time, a provider's wait) as a last resort; here that is refused too, so that tests and the simulator find who
 * made it.
 */
export const fraction = (times: Iterable<number | null | undefined>): RowRefused | undefined => {
  for (const time of times) {
    if (typeof time === "number" && !Number.isSafeInteger(time))
      return new RowRefused({ cause: "a time that is no whole ms" })
  }
  return undefined
}
