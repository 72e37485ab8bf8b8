import { EmbeddedBrand } from "#schemas/Brand.ts"
import { JsonMap } from "#schemas/Optional.ts"
import { type Tenant, TenantPreferenceItem } from "#schemas/Tenant.ts"
import { Schema } from "effect"

const map = Schema.fromJsonString(JsonMap)
const brand = Schema.fromJsonString(EmbeddedBrand)

export const encodeMap = Schema.encodeEffect(map)
export const encodeBrand = Schema.encodeEffect(brand)

const Text = Schema.NullOr(Schema.String)

export const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  parentId: Text,
  brandId: Text,
  brand: Schema.NullOr(brand),
  properties: Schema.NullOr(map),
  userProfile: Schema.NullOr(map),
  preferences: Schema.NullOr(Schema.fromJsonString(Schema.Array(TenantPreferenceItem)))
})

/** The columns of a tenant's row `t`, its default preferences among them. A parent that is gone is none (`Drops`). */
export const columns = `t.id, t.name,
  (select p.id from tenants p where p.scope = t.scope and p.id = t.parent_id) as "parentId", t.brand_id as "brandId", t.brand, t.properties,
  t.user_profile as "userProfile", (
    select json_strip_nulls(json_agg(json_build_object('id', p.topic_id, 'status', p.status,
      'has_custom_routing', p.has_custom_routing, 'custom_routing', p.custom_routing::json) order by p.topic_id))::text
    from tenant_default_preferences p where p.scope = t.scope and p.tenant_id = t.id
  ) as preferences`

/** The length of what callers wrote in a tenant's row `t`: of a default preference, about 50 and its topic and routing. */
export const bytes = `coalesce(octet_length(t.brand), 0) + coalesce(octet_length(t.properties), 0)
  + coalesce(octet_length(t.user_profile), 0) + coalesce((
    select sum(50 + octet_length(p.topic_id) + coalesce(octet_length(p.custom_routing), 0))
    from tenant_default_preferences p where p.scope = t.scope and p.tenant_id = t.id
  ), 0)`

export const tenant = (row: typeof Row.Type): Tenant => ({
  id: row.id,
  name: row.name,
  parentId: row.parentId ?? undefined,
  brandId: row.brandId ?? undefined,
  brand: row.brand ?? undefined,
  properties: row.properties ?? undefined,
  userProfile: row.userProfile ?? undefined,
  preferences: row.preferences ?? []
})
