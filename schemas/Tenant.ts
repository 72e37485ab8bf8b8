import { EmbeddedBrand } from "#schemas/Brand.ts"
import { Id } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { TopicSetting } from "#schemas/Preferences.ts"
import { Schema } from "effect"

/** The default of one topic, by the topic's id. */
export const TenantPreferenceItem = Schema.Struct({ id: Id, ...TopicSetting.fields }).annotate({
  title: "TenantPreference"
})
export type TenantPreferenceItem = typeof TenantPreferenceItem.Type

/** Default preferences that a tenant has at most: they are read with each message in it. */
export const mostDefaults = 1_000

/** A tenant as callers write it (api.md §11). An embedded `brand` is used instead of `brand_id`. */
export const TenantDraft = Schema.Struct({
  name: Id,
  parent_tenant_id: optional(Id),
  brand_id: optional(Id),
  brand: optional(EmbeddedBrand),
  properties: optional(JsonMap),
  user_profile: optional(JsonMap),
  default_preferences: optional(
    Schema.Struct({ items: optional(Schema.Array(TenantPreferenceItem).check(Schema.isMaxLength(mostDefaults))) })
  )
}).annotate({ title: "TenantWrite" })
export type TenantDraft = typeof TenantDraft.Type

/** A tenant as it is stored. `preferences` are in the order of their topics' ids. */
export interface Tenant {
  readonly id: string
  readonly name: string
  readonly parentId: string | undefined
  readonly brandId: string | undefined
  readonly brand: EmbeddedBrand | undefined
  readonly properties: JsonMap | undefined
  readonly userProfile: JsonMap | undefined
  readonly preferences: ReadonlyArray<TenantPreferenceItem>
}

/**
 * How many tenants properties, profiles, brands and preferences are inherited from: the tenant itself and its three
 * nearest ancestors.
 */
export const chainLength = 4
