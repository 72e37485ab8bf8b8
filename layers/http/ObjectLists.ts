import type { Page } from "#src/paging/Page.ts"

/**
 * The answer to a request for a page. Its URLs are paths only: the address under which the caller reached this server
 * is not known here.
 */
export const answer = <A, B>(requested: string, page: Page<A>, item: (row: A) => B) => {
  const url = requested.replace(/^[a-z]+:\/\/[^/]*/i, "")
  // A query may contain further question marks.
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
