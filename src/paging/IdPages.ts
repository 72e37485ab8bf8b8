import type * as Cursor from "#src/paging/Cursor.ts"
import type { InvalidCursor, Page } from "#src/paging/Page.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Effect } from "effect"

/** The last id of the page before; `undefined` at the start. */
export const after = (
  cursors: Cursor.Cursors,
  list: Cursor.List,
  cursor: string | undefined
): Effect.Effect<string | undefined, InvalidCursor> =>
  Effect.map(Pages.after(cursors, list, cursor), (position) => position?.id)

/** `Pages.of` a list ordered by id. */
export const of = <A>(
  cursors: Cursor.Cursors,
  list: Cursor.List,
  items: ReadonlyArray<A>,
  isLast: boolean,
  idOf: (row: A) => string
): Page<A> => Pages.of({ cursors, list, items, isLast, position: (row) => ({ at: 0, id: idOf(row) }) })

/** `Pages.cut` from a list ordered by id. */
export const cut = <A>(
  cursors: Cursor.Cursors,
  list: Cursor.List,
  rows: ReadonlyArray<A>,
  limit: number,
  idOf: (row: A) => string
): Page<A> => Pages.cut({ cursors, list, rows, limit, position: (row) => ({ at: 0, id: idOf(row) }) })
