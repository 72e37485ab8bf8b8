import * as Text from "#schemas/Text.ts"
import { RowRefused } from "#src/delivery/Journal.ts"

/** The refusal of a row with these plain columns, if there is one. Payloads are JSON text, in which what a text column refuses is escaped. */
export const refusal = (columns: Iterable<string | null | undefined>): RowRefused | undefined => {
  for (const column of columns) {
    if (typeof column === "string" && !Text.isStorable(column))
      return new RowRefused({ cause: "a text column with a NUL or a lone surrogate" })
  }
  return undefined
}
