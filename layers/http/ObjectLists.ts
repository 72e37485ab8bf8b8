import type { Page } from "#src/paging/Page.ts"

/** The answer to a request for a page. Its URLs are paths: what address the caller knows us by, we do not. */
export const answer = <A, B>(requested: string, page: Page<A>, item: (row: A) => B) => {
  const url = requested.replace(/^[a-z]+:\/\/[^/]*/i, "")
  // A query may hold further question marks.
  const [path = "", ...query] = url.split("?")
  const next = new URLSearchParams(query.join("?"))
  if (page.cursor !== undefined) next.set("cursor", page.cursor)
  return {
    type: "list" as const,
    items: page.items.map(item),
    has_more: page.cursor !== undefined,
    url,
    cursor: page.cursor,
    next_url: page.cursor === undefined ? undefined : `${path}?${next}`
  }
}
