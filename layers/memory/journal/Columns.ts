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
