import { isObject, type Value } from "#schemas/Json.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { Schema } from "effect"

/**
 * One element of a message's content (api.md 2.5). Its `type` says which of the other members matter; members of types we do not know are
 * kept as they came and skipped in rendering.
 */
export const Element = Schema.StructWithRest(Schema.Struct({ type: Schema.String }), [JsonMap])
export type Element = typeof Element.Type

export const isElement = (value: Value): value is Element => isObject(value) && typeof value["type"] === "string"

/** `{title, body}`, the full `{version, elements}`, or both in one object; then the title is the subject and the body the first text. */
export const Content = Schema.Struct({
  title: optional(Schema.String),
  body: optional(Schema.String),
  version: optional(Schema.String),
  elements: optional(Schema.Array(Element))
})
export type Content = typeof Content.Type
