import { Id } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { Schema } from "effect"

/** Known fields, each of which may be absent or `null`, and anything else that the caller keeps there. */
const open = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  optional(Schema.StructWithRest(Schema.Struct(fields), [JsonMap]))

const text = optional(Schema.String)
const flag = optional(Schema.Boolean)

/** Colors by the caller's own names; usually `primary`, `secondary` and `tertiary`. */
export const BrandColors = optional(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))

const frame = {
  enabled: flag,
  backgroundColor: text,
  blocksBackgroundColor: text,
  footer: text,
  head: text,
  header: text,
  width: text
}

/** A frame of the operator's own around an e-mail's content, as HTML and as MJML. */
export const BrandTemplate = open({
  ...frame,
  mjml: open(frame),
  footerBackgroundColor: text,
  footerFullWidth: flag
})

const social = optional(Schema.Record(Schema.String, Schema.NullOr(JsonMap)))

export const BrandEmail = open({
  head: open({ inheritDefault: flag, content: text }),
  header: open({
    inheritDefault: flag,
    barColor: text,
    logo: open({ href: text, image: text })
  }),
  footer: open({ inheritDefault: flag, content: text, markdown: text, social }),
  templateOverride: BrandTemplate
})

export const BrandInapp = open({
  colors: BrandColors,
  icons: open({ bell: text, message: text }),
  widgetBackground: open({ topColor: text, bottomColor: text }),
  borderRadius: text,
  disableMessageIcon: flag,
  disableCourierFooter: flag,
  fontFamily: text,
  placement: optional(Schema.Literals(["top", "bottom", "left", "right"])),
  preferences: open({ templateIds: optional(Schema.Array(Schema.Json)) })
})

/**
 * What a brand looks like (api.md §9): the fields that the specification and the published client know, and any others.
 */
export const BrandSettings = Schema.StructWithRest(
  Schema.Struct({ colors: BrandColors, email: BrandEmail, inapp: BrandInapp }),
  [JsonMap]
).annotate({ title: "BrandSettings" })
export type BrandSettings = typeof BrandSettings.Type

/** Named texts that templates can use. */
export const BrandSnippets = Schema.StructWithRest(
  Schema.Struct({
    items: optional(
      Schema.Array(Schema.StructWithRest(Schema.Struct({ name: Schema.String, value: Schema.String }), [JsonMap]))
    )
  }),
  [JsonMap]
).annotate({ title: "BrandSnippets" })
export type BrandSnippets = typeof BrandSnippets.Type

/** A brand as callers write it. */
export const BrandDraft = Schema.Struct({
  name: Id,
  settings: optional(BrandSettings),
  snippets: optional(BrandSnippets)
}).annotate({ title: "BrandWrite" })
export type BrandDraft = typeof BrandDraft.Type

/** A brand as the renderer uses it. */
export const Brand = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  settings: BrandSettings,
  snippets: BrandSnippets
})
export type Brand = typeof Brand.Type

/** A brand that is stored in a tenant itself; it has no id of its own. */
export const EmbeddedBrand = Schema.StructWithRest(
  Schema.Struct({
    name: optional(Schema.String),
    settings: optional(BrandSettings),
    snippets: optional(BrandSnippets)
  }),
  [JsonMap]
).annotate({ title: "EmbeddedBrand" })
export type EmbeddedBrand = typeof EmbeddedBrand.Type
