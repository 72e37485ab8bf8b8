import { isObject, type Value } from "#schemas/Json.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { Schema } from "effect"

/**
 * One element of a message's content (api.md 2.5). Its `type` decides which of the other fields matter. Elements of
 * unknown types are kept as they came, and skipped when rendering.
 */
export const Element = Schema.StructWithRest(Schema.Struct({ type: Schema.String }), [JsonMap]).annotate({
  title: "Element"
})
export type Element = typeof Element.Type

export const isElement = (value: Value): value is Element => isObject(value) && typeof value["type"] === "string"

/**
 * `{title, body}`, the full `{version, elements}`, or both in one object; with both, the title is the subject and the
 * body the first text.
 */
export const Content = Schema.Struct({
  title: optional(Schema.String),
  body: optional(Schema.String),
  version: optional(Schema.String),
  elements: optional(Schema.Array(Element))
}).annotate({ title: "MessageContent" })
export type Content = typeof Content.Type
