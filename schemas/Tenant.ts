import { EmbeddedBrand } from "#schemas/Brand.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { Schema } from "effect"

const Text = Schema.NonEmptyString.check(Schema.isMaxLength(512), Schema.isPattern(/^[^\u0000]*$/))

/** A caller's id of a tenant: any text of 1–512 characters but NUL, which Postgres cannot hold. */
export const TenantId = Text.pipe(Schema.brand("TenantId"))
export type TenantId = typeof TenantId.Type

export const preferenceChannels = ["direct_message", "email", "push", "sms", "webhook", "inbox"] as const

/** What holds for a topic in a tenant while a user has not chosen (api.md 10.4). */
export const TenantPreference = Schema.Struct({
  status: Schema.Literals(["OPTED_OUT", "OPTED_IN", "REQUIRED"]),
  has_custom_routing: optional(Schema.Boolean),
  custom_routing: optional(Schema.Array(Schema.Literals(preferenceChannels)))
})
export type TenantPreference = typeof TenantPreference.Type

export const TopicId = Text

/** The default of one topic, by the topic's id. */
export const TenantPreferenceItem = Schema.Struct({ id: TopicId, ...TenantPreference.fields })
export type TenantPreferenceItem = typeof TenantPreferenceItem.Type

/** What callers say of a tenant (api.md §11). An embedded `brand` is used instead of `brand_id`. */
export const TenantDraft = Schema.Struct({
  name: Text,
  parent_tenant_id: optional(TenantId),
  brand_id: optional(Text),
  brand: optional(EmbeddedBrand),
  properties: optional(JsonMap),
  user_profile: optional(JsonMap),
  default_preferences: optional(Schema.Struct({ items: optional(Schema.Array(TenantPreferenceItem)) }))
})
export type TenantDraft = typeof TenantDraft.Type

/** A tenant as sends see it. */
export interface Tenant {
  readonly id: TenantId
  readonly name: string
  readonly parentId: TenantId | undefined
  readonly brandId: string | undefined
  readonly brand: EmbeddedBrand | undefined
  readonly properties: JsonMap
  readonly userProfile: JsonMap
  readonly preferences: ReadonlyArray<TenantPreferenceItem>
}

/** How far up a tenant's parents give it their properties, profiles, brands and preferences: itself and three more. */
export const chainLength = 4
