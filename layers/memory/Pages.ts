import * as Text from "#schemas/Text.ts"
import type * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import type { InvalidCursor, Page } from "#src/paging/Page.ts"
import * as PageBytes from "#src/paging/PageBytes.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Effect } from "effect"

/** Newest first; ids decide within a millisecond. */
const newestFirst = (a: Cursor.Position, b: Cursor.Position): number => b.at - a.at || Text.compare(b.id, a.id)

/** The rows of one page, of all that are left. */
const begin = <A>(left: ReadonlyArray<A>, limit: number, bytesOf: (row: A) => number = () => 0) => {
  const items = PageBytes.fitting(left.slice(0, limit), bytesOf)
  return { items, isLast: items.length === left.length }
}

/** One page of a list that other fibers write to: what comes after the cursor's position, and a cursor if that is not all. */
export const cut = Effect.fnUntraced(function*<A>(options: {
  readonly cursors: Cursor.Cursors
  readonly list: Cursor.List
  readonly rows: ReadonlyArray<A>
  readonly position: (row: A) => Cursor.Position
  readonly bytesOf?: ((row: A) => number) | undefined
  readonly limit: number
  readonly cursor: string | undefined
}): Effect.fn.Return<Page<A>, InvalidCursor> {
  const { bytesOf, cursor, cursors, limit, list, position, rows } = options
  const after = yield* Pages.after(cursors, list, cursor)
  const left = rows
    .filter((row) => after === undefined || newestFirst(after, position(row)) < 0)
    .toSorted((a, b) => newestFirst(position(a), position(b)))
  return Pages.of({ cursors, list, ...begin(left, limit, bytesOf), position })
})

/** One page of a list in the order of its ids. */
export const cutById = Effect.fnUntraced(function*<A>(options: {
  readonly cursors: Cursor.Cursors
  readonly list: Cursor.List
  readonly rows: ReadonlyArray<A>
  readonly idOf: (row: A) => string
  readonly bytesOf?: ((row: A) => number) | undefined
  readonly limit: number
  readonly cursor: string | undefined
}): Effect.fn.Return<Page<A>, InvalidCursor> {
  const { bytesOf, cursor, cursors, idOf, limit, list, rows } = options
  const after = yield* IdPages.after(cursors, list, cursor)
  const left = rows
    .filter((row) => after === undefined || Text.compare(idOf(row), after) > 0)
    .toSorted((a, b) => Text.compare(idOf(a), idOf(b)))
  const { isLast, items } = begin(left, limit, bytesOf)
  return IdPages.of(cursors, list, items, isLast, idOf)
})
