import type * as Cursor from "#src/paging/Cursor.ts"
import type { InvalidCursor, Page } from "#src/paging/Page.ts"
import { Effect } from "effect"

/** The last row of the page before; `undefined` at the start. */
export const after = (
  cursors: Cursor.Cursors,
  list: Cursor.List,
  cursor: string | undefined
): Effect.Effect<Cursor.Position | undefined, InvalidCursor> =>
  cursor === undefined ? Effect.undefined : cursors.open(list, cursor)

/** A page of a list, of all of `items`; `isLast` if no more follow. */
export const of = <A>(options: {
  readonly cursors: Cursor.Cursors
  readonly list: Cursor.List
  readonly items: ReadonlyArray<A>
  readonly isLast: boolean
  readonly position: (row: A) => Cursor.Position
}): Page<A> => {
  const { cursors, isLast, items, list, position } = options
  const last = items.at(-1)
  return { items, cursor: isLast || last === undefined ? undefined : cursors.seal(list, position(last)) }
}

/** A page of a list that was read as far as `end`; `undefined` if no more follow. What was read may have more rows than `items`. */
export const upTo = <A>(
  cursors: Cursor.Cursors,
  list: Cursor.List,
  items: ReadonlyArray<A>,
  end: Cursor.Position | undefined
): Page<A> => ({ items, cursor: end && cursors.seal(list, end) })

/** A page of a list, from up to `limit + 1` rows: the extra row only says that there are more. */
export const cut = <A>(options: {
  readonly cursors: Cursor.Cursors
  readonly list: Cursor.List
  readonly rows: ReadonlyArray<A>
  readonly limit: number
  readonly position: (row: A) => Cursor.Position
}): Page<A> => {
  const { cursors, limit, list, position, rows } = options
  return of({ cursors, list, items: rows.slice(0, limit), isLast: rows.length <= limit, position })
}
