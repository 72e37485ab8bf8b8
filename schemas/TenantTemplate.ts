import { optional } from "#schemas/Optional.ts"
import { ChannelSettings, ProviderSettings, Routing } from "#schemas/Routing.ts"
import { refuse } from "#schemas/SchemaRefusal.ts"
import { TemplateContent } from "#schemas/Template.ts"
import { Effect, Schema, SchemaTransformation } from "effect"

/** A tenant's template as callers write it (api.md §11): its content, and its own routing and settings. */
export const TenantTemplate = Schema.Struct({
  content: TemplateContent,
  routing: optional(Routing),
  channels: optional(Schema.Record(Schema.String, ChannelSettings)),
  providers: optional(Schema.Record(Schema.String, ProviderSettings))
})
export type TenantTemplate = typeof TenantTemplate.Type

/** Which version: the newest, the published one, or one by its number. */
export type TenantVersion = "latest" | "published" | number

/** A version as callers name it: `v1`. */
export const versionName = (version: number): string => `v${version}`

const numbered = /^v(\d{1,15})$/

/** `latest`, `published`, or a version by its number, `v1`. */
export const TenantVersion = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Union([Schema.Literals(["latest", "published"]), Schema.Int]),
    SchemaTransformation.transformEffect({
      decode: (text) => {
        if (text === "latest" || text === "published") return Effect.succeed<TenantVersion>(text)
        const digits = numbered.exec(text)?.[1]
        return digits === undefined
          ? refuse("Expected format: v1, v2, latest or published")
          : Effect.succeed<TenantVersion>(Number(digits))
      },
      encode: (version) => Effect.succeed(typeof version === "number" ? versionName(version) : version)
    })
  )
)
