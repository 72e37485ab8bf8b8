import { Element } from "#schemas/Elemental.ts"
import { Id } from "#schemas/Id.ts"
import { optional } from "#schemas/Optional.ts"
import { refuse } from "#schemas/SchemaRefusal.ts"
import { Effect, Schema, SchemaTransformation } from "effect"

/** The version of Elemental that applies to content without a `version`. */
export const elementalVersion = "2022-01-01"

/** A template's content as callers write it: full Elemental only (api.md 2.5). */
export const TemplateContent = Schema.Struct({ version: optional(Schema.String), elements: Schema.Array(Element) })
  .annotate({ title: "TemplateContent" })
export type TemplateContent = typeof TemplateContent.Type

/**
 * What a template's draft and each of its versions hold. Once stored, the content has a `version` and its elements have
 * ids.
 */
export const Template = Schema.Struct({
  name: Id,
  tags: Schema.Array(Schema.String),
  brand: Schema.NullOr(Schema.Struct({ id: Id })),
  subscription: Schema.NullOr(Schema.Struct({ topic_id: Id })),
  routing: Schema.NullOr(Schema.Struct({ strategy_id: Id })),
  content: TemplateContent,
  /**
   * With this, a missing variable fails the rendering of the channel; otherwise it renders as an empty text (api.md
   * 2.6).
   */
  throw_on_variable_not_found: optional(Schema.Boolean)
})
export type Template = typeof Template.Type

/**
 * Another name of a template, for sends and events. Names that begin with `tenant/` are reserved for tenants' own
 * templates.
 */
export const Alias = Id.check(Schema.isPattern(/^(?!tenant\/)/, { message: "Expected not to start with tenant/" }))
export type Alias = typeof Alias.Type

/** `DRAFT` or `PUBLISHED`, in upper or lower case. */
export const TemplateState = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Literals(["DRAFT", "PUBLISHED"]),
    SchemaTransformation.transformEffect({
      decode: (text) => {
        const state = text.toUpperCase()
        return state === "DRAFT" || state === "PUBLISHED"
          ? Effect.succeed<"DRAFT" | "PUBLISHED">(state)
          : refuse("Expected DRAFT or PUBLISHED")
      },
      encode: (state) => Effect.succeed(state)
    })
  )
)
export type TemplateState = typeof TemplateState.Type

const numbered = /^(?:published:)?v(\d{3,15})$/

/** A version as callers name it: `v001`. */
export const versionName = (version: number): string => `v${String(version).padStart(3, "0")}`

/**
 * Which snapshot of a template: the draft, the live version, or a version by its number as in `v001`. `published:v002`,
 * as the list of versions names the live one, is accepted too.
 */
export const Snapshot = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Union([Schema.Literals(["draft", "published"]), Schema.Int]),
    SchemaTransformation.transformEffect({
      decode: (text) => {
        if (text === "draft" || text === "published") return Effect.succeed<Snapshot>(text)
        const digits = numbered.exec(text)?.[1]
        return digits === undefined
          ? refuse("Expected format: v001, v002, etc.")
          : Effect.succeed<Snapshot>(Number(digits))
      },
      encode: (snapshot) => Effect.succeed(typeof snapshot === "number" ? versionName(snapshot) : snapshot)
    })
  )
)
export type Snapshot = "draft" | "published" | number
