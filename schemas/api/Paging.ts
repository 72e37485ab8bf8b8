import { maybe } from "#schemas/api/Maybe.ts"
import { Schema } from "effect"

/** `cursor` is present when `more` is true, and is sent back as the query parameter `cursor`. */
export const Paging = Schema.Struct({ more: Schema.Boolean, cursor: maybe(Schema.String) }).annotate({
  title: "Paging"
})

/** One page of a list, newest first (api.md 1.4, P-results). */
export const Results = <S extends Schema.Top>(item: S) => Schema.Struct({ paging: Paging, results: Schema.Array(item) })

/** The same, under the name that lists, subscriptions, audiences and members use (api.md 1.4, P-items). */
export const Items = <S extends Schema.Top>(item: S) => Schema.Struct({ paging: Paging, items: Schema.Array(item) })
