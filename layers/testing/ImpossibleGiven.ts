import { type Given, type GivenTemplate, type GivenTenant, GivenToken } from "#layers/testing/Given.ts"
import { unknown } from "#layers/testing/Unknown.ts"
import { AudienceBody } from "#schemas/Audience.ts"
import { BrandDraft } from "#schemas/Brand.ts"
import { GroupId, Id } from "#schemas/Id.ts"
import { ListId } from "#schemas/List.ts"
import { Locale } from "#schemas/Locale.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { PreferenceTopic } from "#schemas/Preferences.ts"
import { Profile, UserId } from "#schemas/Profile.ts"
import { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import { faultOf, LimitPath, SendLimit } from "#schemas/SendLimit.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import { Template, TemplateContent } from "#schemas/Template.ts"
import { TenantDraft } from "#schemas/Tenant.ts"
import { TenantTemplate } from "#schemas/TenantTemplate.ts"
import * as Catalogue from "#src/content/Catalogue.ts"
import * as Ways from "#src/delivery/providers/Ways.ts"
import * as AudienceRules from "#src/people/AudienceRules.ts"
import { Effect, Predicate, Result, Schema, Struct } from "effect"

const is = (Id: Schema.Codec<string, string>, Value: Schema.Codec<unknown, unknown>) => ({
  id: Schema.decodeUnknownResult(Id),
  value: Schema.decodeUnknownResult(Value)
})

const Member = Schema.Union([UserId, Schema.Struct({ user_id: UserId, profile: optional(JsonMap) })])

const ofATemplate = {
  ...TemplateContent.fields,
  tags: Schema.optional(Template.fields.tags),
  brand: Schema.optional(Template.fields.brand),
  subscription: Schema.optional(Template.fields.subscription),
  routing: Schema.optional(Template.fields.routing),
  throw_on_variable_not_found: Template.fields.throw_on_variable_not_found
} satisfies Readonly<Record<keyof GivenTemplate, Schema.Constraint>>

/** The schemas of the ids and values of each kind, as the API has them. */
const kinds = {
  profiles: is(UserId, Profile),
  lists: is(ListId, Schema.Array(UserId)),
  topics: is(Id, PreferenceTopic),
  templates: is(Id, Schema.Struct(ofATemplate)),
  strategies: is(Id, RoutingStrategy),
  brands: is(Id, BrandDraft),
  tenants: is(
    GroupId,
    Schema.Struct({
      ...TenantDraft.fields,
      members: Schema.optional(Schema.Array(Member)),
      templates: Schema.optional(Schema.Record(Schema.String, TenantTemplate))
    })
  ),
  audiences: is(GroupId, AudienceBody),
  translations: is(Locale, Schema.String),
  tokens: is(UserId, Schema.Array(GivenToken)),
  limits: is(LimitPath, SendLimit)
}
type Kind = keyof typeof kinds

const names: ReadonlyArray<string> = Object.keys(kinds)

/** Leaves out the prefix `body: `, which stands for the whole value. */
const inWords = ({ issue }: Schema.SchemaError): string => sentence(issue).replace(/^body: /, "")

const entryFault = (kind: Kind, id: string, value: unknown): string | undefined => {
  const named = kinds[kind].id(id)
  if (Result.isFailure(named)) return `has ${JSON.stringify(id)} for an id: ${inWords(named.failure)}`
  // Whoever gives more of a template would think that it has an effect.
  const [more] = kind === "templates" && Predicate.isObject(value) ? unknown(`.${id}`, value, ofATemplate) : []
  if (more !== undefined) return more
  // As the body of PUT /profiles/:id has it.
  if (kind === "profiles" && Predicate.hasProperty(value, "profile") && Predicate.isObject(value.profile))
    return `.${id} has its fields within profile, where nobody looks for them`
  const decoded = kinds[kind].value(value)
  return Result.isFailure(decoded) ? `.${id} is refused: ${inWords(decoded.failure)}` : undefined
}

const decodeTenant = Schema.decodeUnknownResult(TenantDraft)
const decodeDevice = Schema.decodeUnknownResult(GivenToken)

/** What is wrong with a tenant that is written alone, in words: its members and templates are written by themselves. */
export const ofTenant = (id: string, tenant: unknown): string | undefined => {
  const [more] = Predicate.isObject(tenant) ? unknown(`.${id}`, tenant, TenantDraft.fields) : []
  if (more !== undefined) return more
  const decoded = decodeTenant(tenant)
  return Result.isFailure(decoded) ? `.${id} is refused: ${inWords(decoded.failure)}` : undefined
}

/** What is wrong with a device, in words. */
export const ofDevice = (token: string, device: unknown): string | undefined => {
  const decoded = decodeDevice(Predicate.isObject(device) ? { ...device, token } : device)
  return Result.isFailure(decoded) ? `.${token} is refused: ${inWords(decoded.failure)}` : undefined
}

/** What is wrong with one thing of these kinds, in words. */
export const ofEntry = (kind: "profiles" | "templates", id: string, value: unknown): string | undefined =>
  entryFault(kind, id, value)

const limitFault = (path: string, limit: SendLimit): string | undefined => {
  const fault = path.startsWith("global/") ? faultOf("global", limit) : undefined
  return fault === undefined ? undefined : `.${path} is refused: ${fault}`
}

/** What is wrong with a send limit, in words. */
export const ofLimit = (path: string, limit: SendLimit): string | undefined =>
  entryFault("limits", path, limit) ?? limitFault(path, limit)

const filterFault = (id: string, body: AudienceBody): string | undefined => {
  const drafted = AudienceRules.draft(id, body)
  return Result.isFailure(drafted) ? `.${id} is refused: ${drafted.failure.detail}` : undefined
}

/** What is wrong with an audience, in words. */
export const ofAudience = (id: string, body: AudienceBody): string | undefined =>
  entryFault("audiences", id, body) ?? filterFault(id, body)

const catalogueFault = (locale: string, po: string): string | undefined => {
  const parsed = Effect.runSync(Effect.result(Catalogue.parse(po)))
  return Result.isFailure(parsed) ? `.${locale} is refused: ${parsed.failure.detail}` : undefined
}

/** What is wrong with the text of a .po file, in words. */
export const ofTranslation = (locale: string, po: string): string | undefined =>
  entryFault("translations", locale, po) ?? catalogueFault(locale, po)

/** The given entries of a kind. A topic that is given by its id alone gets the same value as in `Given.ts`. */
const entriesOf = (kind: Kind, given: Given): ReadonlyArray<readonly [id: string, value: unknown]> =>
  kind === "topics" && Array.isArray(given.topics)
    ? given.topics.map((id) => [id, { name: id, default_status: "OPTED_IN" }] as const)
    : Object.entries(given[kind] ?? {})

/** Complains about a tenant whose parent is not given, or that is its own ancestor. */
const parentFault = (tenants: Readonly<Record<string, GivenTenant>>, id: string): string | undefined => {
  const seen = new Set([id])
  for (let parent = tenants[id]?.parent_tenant_id; parent !== undefined && parent !== null;) {
    if (seen.has(parent)) return `.${id} is below itself: ${[...seen, parent].join(", ")}`
    if (!Object.hasOwn(tenants, parent)) return `.${id} has the parent ${parent}, which is none of them`
    seen.add(parent)
    parent = tenants[parent]?.parent_tenant_id
  }
  return undefined
}

/** Complains about a tenant whose brand is not given: the API refuses it, unless it has a brand of its own. */
const brandFault = (
  { brands = {} }: Given,
  id: string,
  { brand, brand_id: named }: GivenTenant
): string | undefined =>
  brand || !named || Object.hasOwn(brands, named)
    ? undefined
    : `.${id} has the brand ${named}, which is none of options.given.brands`

/** Complains about a topic, a strategy or a brand that is not given: the API refuses a template with such a one. */
const namedFault = (given: Given, id: string, { brand, routing, subscription }: GivenTemplate): string | undefined => {
  const topic = subscription?.topic_id
  if (topic !== undefined && !entriesOf("topics", given).some(([one]) => one === topic))
    return `.${id} has the topic ${topic}, which is none of options.given.topics`
  const strategy = routing?.strategy_id
  if (strategy !== undefined && !Object.hasOwn(given.strategies ?? {}, strategy))
    return `.${id} has the strategy ${strategy}, which is none of options.given.strategies`
  return brand === undefined || brand === null || Object.hasOwn(given.brands ?? {}, brand.id)
    ? undefined
    : `.${id} has the brand ${brand.id}, which is none of options.given.brands`
}

/** Complains about a channel in a brand that is not given: the API refuses such a strategy or tenant's template. */
const channelFault = (
  { brands = {} }: Given,
  id: string,
  ways: RoutingStrategy | TenantTemplate
): string | undefined => {
  const brand = Ways.brandsOf(ways).find((named) => !Object.hasOwn(brands, named))
  return brand === undefined
    ? undefined
    : `.${id} has a channel in the brand ${brand}, which is none of options.given.brands`
}

const first = (faults: Iterable<string | undefined>): string | undefined => {
  for (const fault of faults) if (fault !== undefined) return fault
  return undefined
}

const kindFault = (kind: Kind, given: Given): string | undefined => {
  const said = given[kind]
  const isById = said === undefined || Predicate.isObject(said) || (kind === "topics" && Array.isArray(said))
  if (!isById) return "has to be an object of all by their ids"
  const { audiences = {}, limits = {}, strategies = {}, templates = {}, tenants = {}, translations = {} } = given
  const ids = entriesOf(kind, given)
  return first(ids.map(([id, value]) => entryFault(kind, id, value))) ??
    (kind === "templates"
      ? first(Object.entries(templates).map(([id, template]) => namedFault(given, id, template)))
      : undefined) ??
    (kind === "strategies"
      ? first(Object.entries(strategies).map(([id, strategy]) => channelFault(given, id, strategy)))
      : undefined) ??
    (kind === "tenants"
      ? first(
        Object.entries(tenants).map(([id, tenant]) =>
          parentFault(tenants, id) ?? brandFault(given, id, tenant) ??
            first(
              Object.entries(tenant.templates ?? {}).map(([named, template]) =>
                channelFault(given, `${id}.templates.${named}`, template)
              )
            )
        )
      )
      : undefined) ??
    (kind === "audiences" ? first(Object.entries(audiences).map(([id, body]) => filterFault(id, body))) : undefined) ??
    (kind === "limits" ? first(Object.entries(limits).map(([path, limit]) => limitFault(path, limit))) : undefined) ??
    (kind === "translations"
      ? first(Object.entries(translations).map(([locale, po]) => catalogueFault(locale, po)))
      : undefined)
}

/** What no world can begin with, because the API would refuse it: for each kind the first fault, in a sentence. */
export const of = (given: Given): ReadonlyArray<string> =>
  Predicate.isObject(given) ?
    [
      ...Object.keys(given).filter((name) => !names.includes(name)).map((name) =>
        `options.given has ${name}, which is none of ${names.join(", ")}`
      ),
      ...Struct.keys(kinds).flatMap((kind) => {
        const fault = kindFault(kind, given)
        return fault === undefined ? [] : [`options.given.${kind}${fault.startsWith(".") ? "" : " "}${fault}`]
      })
    ] :
    ["options.given has to be an object"]
