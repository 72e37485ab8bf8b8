import type { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import type { InvalidCursor, Page } from "#src/paging/Page.ts"
import { Effect } from "effect"

/** The last row of the page before; `undefined` at the start. */
export const after = (
  key: SecretKey["Service"],
  list: Cursor.List,
  cursor: string | undefined
): Effect.Effect<Cursor.Position | undefined, InvalidCursor> =>
  cursor === undefined ? Effect.undefined : Cursor.open(key, list, cursor)

/** A page of a list, of up to `limit + 1` rows: the one too many says that there is more. */
export const cut = <A>(options: {
  readonly key: SecretKey["Service"]
  readonly list: Cursor.List
  readonly rows: ReadonlyArray<A>
  readonly limit: number
  readonly position: (row: A) => Cursor.Position
}): Page<A> => {
  const { key, limit, list, position, rows } = options
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return {
    items,
    cursor: rows.length > limit && last !== undefined ? Cursor.seal(key, list, position(last)) : undefined
  }
}
