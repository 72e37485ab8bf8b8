import { GroupId } from "#schemas/Id.ts"
import { Schema } from "effect"

/** How many dot-separated parts a list's id may have (api.md 1.7). */
export const maxParts = 4

/** What is wrong with the parts of a list's id, in words; `undefined` if nothing is. */
const fault = (id: string): string | undefined => {
  if (/[*#\s]/u.test(id)) return "Expected no *, # or white space"
  const parts = id.split(".")
  if (parts.includes("")) return "Expected no leading, trailing or doubled dot"
  return parts.length > maxParts ? `Expected at most ${maxParts} parts` : undefined
}

/**
 * A caller's id of a list: one to four parts, separated by dots, so that patterns can name a branch of lists (api.md
 * 7).
 */
export const ListId = GroupId.check(Schema.makeFilter(fault)).pipe(Schema.brand("ListId"))
export type ListId = typeof ListId.Type
