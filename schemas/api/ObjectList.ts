import { maybe } from "#schemas/api/Maybe.ts"
import { Schema } from "effect"

/**
 * One page of a list (api.md 1.4, L-list). `cursor` is sent back as the query parameter `cursor`; `next_url` is the URL
 * of the next page. Both are present when `has_more` is true.
 */
export const ObjectList = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    type: Schema.Literal("list"),
    items: Schema.Array(item),
    has_more: Schema.Boolean,
    url: Schema.String,
    cursor: maybe(Schema.String),
    next_url: maybe(Schema.String)
  })

/** Items in a page of such a list without `limit`. */
export const defaultLimit = 20
