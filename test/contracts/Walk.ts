import type { Page, PageQuery } from "#src/paging/Page.ts"
import * as PageBytes from "#src/paging/PageBytes.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"

const half = "x".repeat(PageBytes.most / 2)

/** Texts of which a page has the first two, or one of the others. */
export const large = [half, half, half + half, half + half] as const

/** Ids in no order of their own, some beyond the basic plane, where UTF-16 and UTF-8 sort differently. */
export const names = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, n) => `${["u", "\uffee", "\u{1f984}", "é", "~"][n % 5]}${n * 37 % count}`)

/** Follows the cursors to the end; before each page but the first `write` changes what is listed. */
export const all = Effect.fnUntraced(function*<A, E, R, F>(
  page: (cursor: string | undefined) => Effect.Effect<Page<A>, E, R>,
  idOf: (item: A) => string,
  write: (n: number) => Effect.Effect<unknown, F>
) {
  const seen: Array<string> = []
  let cursor: string | undefined
  let pages = 0
  do {
    const { cursor: next, items } = yield* page(cursor)
    seen.push(...items.map(idOf))
    cursor = next
    if (cursor !== undefined) yield* write(pages++)
  } while (cursor !== undefined && pages < 1_000)
  return seen
})

/** Nobody twice, and everybody who was there from the start. */
export const once = (seen: ReadonlyArray<string>, expected: ReadonlyArray<string>): void => {
  assert.strictEqual(new Set(seen).size, seen.length)
  assert.includeMembers([...seen], [...expected])
}

/** A list of four items with the texts `large`: a page ends early, and the walk meets each once. */
export const early = Effect.fnUntraced(function*<A, E, R>(
  page: (query: PageQuery) => Effect.Effect<Page<A>, E, R>,
  idOf: (item: A) => string,
  expected: ReadonlyArray<string>
) {
  const sizes: Array<number> = []
  const read = (cursor: string | undefined) =>
    Effect.tap(page({ cursor, limit: 100 }), ({ items }) => Effect.sync(() => sizes.push(items.length)))
  assert.deepStrictEqual(yield* all(read, idOf, () => Effect.void), expected)
  assert.deepStrictEqual(sizes, [2, 1, 1])
  assert.lengthOf((yield* page({ cursor: undefined, limit: 1 })).items, 1)
})
