import type * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import type { InvalidCursor, Page } from "#src/paging/Page.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Effect } from "effect"

/** Newest first; ids decide within a millisecond. */
const newestFirst = (a: Cursor.Position, b: Cursor.Position): number => b.at - a.at || IdPages.compare(b.id, a.id)

/** One page of a list that other fibers write to: what comes after the cursor's position, and a cursor if that is not all. */
export const cut = Effect.fnUntraced(function*<A>(options: {
  readonly cursors: Cursor.Cursors
  readonly list: Cursor.List
  readonly rows: ReadonlyArray<A>
  readonly position: (row: A) => Cursor.Position
  readonly limit: number
  readonly cursor: string | undefined
}): Effect.fn.Return<Page<A>, InvalidCursor> {
  const { cursor, cursors, limit, list, position, rows } = options
  const after = yield* Pages.after(cursors, list, cursor)
  const left = rows
    .filter((row) => after === undefined || newestFirst(after, position(row)) < 0)
    .toSorted((a, b) => newestFirst(position(a), position(b)))
  return Pages.cut({ cursors, list, rows: left, limit, position })
})

/** One page of a list in the order of its ids. */
export const cutById = Effect.fnUntraced(function*<A>(options: {
  readonly cursors: Cursor.Cursors
  readonly list: Cursor.List
  readonly rows: ReadonlyArray<A>
  readonly idOf: (row: A) => string
  readonly limit: number
  readonly cursor: string | undefined
}): Effect.fn.Return<Page<A>, InvalidCursor> {
  const { cursor, cursors, idOf, limit, list, rows } = options
  const after = yield* IdPages.after(cursors, list, cursor)
  const left = rows
    .filter((row) => after === undefined || IdPages.compare(idOf(row), after) > 0)
    .toSorted((a, b) => IdPages.compare(idOf(a), idOf(b)))
  return IdPages.page(cursors, list, left, limit, idOf)
})
