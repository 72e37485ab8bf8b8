import { RowRefused } from "#src/delivery/Journal.ts"

type Column = string | null | undefined

/** What a text column of a database takes: no NUL, no lone surrogate. Payloads are JSON text, in which both are escaped. */
const isStorable = (text: Column): boolean =>
  text === null || text === undefined || (text.isWellFormed() && !text.includes("\u0000"))

/** The refusal of a row with these plain columns, if there is one. */
export const refusal = (columns: Iterable<Column>): RowRefused | undefined => {
  for (const column of columns) {
    if (!isStorable(column)) return new RowRefused({ cause: "a text column with a NUL or a lone surrogate" })
  }
  return undefined
}
