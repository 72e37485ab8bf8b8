import type { Brand } from "#schemas/Brand.ts"
import { memoize } from "effect/Function"

/** The snippets of a brand by their names, for `{{> name}}`: of several of one name, the last. */
export const snippetsOf = memoize(({ snippets }: Brand): ReadonlyMap<string, string> =>
  new Map(snippets.items?.map(({ name, value }) => [name, value]))
)
