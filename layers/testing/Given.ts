import { nameOf, type State } from "#layers/memory/State.ts"
import type { AudienceBody } from "#schemas/Audience.ts"
import type { BrandDraft } from "#schemas/Brand.ts"
import { isBrief, Token, TokenWrite } from "#schemas/DeviceToken.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { PreferenceTopic } from "#schemas/Preferences.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import { Scope } from "#schemas/Scope.ts"
import type { LimitPath, SendLimit } from "#schemas/SendLimit.ts"
import { elementalVersion, type Template, type TemplateContent } from "#schemas/Template.ts"
import type { TenantDraft } from "#schemas/Tenant.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"
import { HashMap, Schema } from "effect"

/** A user in a tenant; `profile` is the profile of the user in this tenant. */
export interface GivenMember {
  readonly user_id: string
  readonly profile?: JsonMap | null | undefined
}

/** A tenant as PUT /tenants/:id takes it, with what belongs to it. */
export interface GivenTenant extends TenantDraft {
  /** A user id each, or one with a profile in this tenant. */
  readonly members?: ReadonlyArray<string | GivenMember>
  /**
   * Its own published templates, by the id of the template that each replaces in sends to the tenant: the `template` that
   * PUT /tenants/:id/templates/:id takes.
   */
  readonly templates?: Readonly<Record<string, TenantTemplate>>
}

/** What a published template says, and what POST /notifications takes of it besides. */
export interface GivenTemplate
  extends TemplateContent, Partial<Pick<Template, "tags" | "throw_on_variable_not_found">>
{
  /** The topic that it is about: one of `Given.topics`. */
  readonly subscription?: Template["subscription"] | undefined
  /** One of `Given.brands`. */
  readonly brand?: Template["brand"] | undefined
  /** One of `Given.strategies`. */
  readonly routing?: Template["routing"] | undefined
}

/** A device of a user. */
export const GivenToken = Schema.Struct({ token: Token, ...TokenWrite.fields }).check(isBrief)

/** What is stored when a world begins, the same in both of its environments. */
export interface Given {
  /** Profiles by user id. */
  readonly profiles?: Readonly<Record<string, Profile>>
  /** The ids of subscribed users, by list id. */
  readonly lists?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Preference topics: their ids alone (by default, users are opted in), or what the API takes of each, by id. */
  readonly topics?: ReadonlyArray<string> | Readonly<Record<string, PreferenceTopic>>
  /** Published templates by id. */
  readonly templates?: Readonly<Record<string, GivenTemplate>>
  /** What PUT /routing-strategies/:id takes, by id: how messages go whose template names it. */
  readonly strategies?: Readonly<Record<string, RoutingStrategy>>
  /** What PUT /brands/:id takes, by brand id. The first one becomes the default brand, as it does in the API. */
  readonly brands?: Readonly<Record<string, BrandDraft>>
  /** Tenants by id. */
  readonly tenants?: Readonly<Record<string, GivenTenant>>
  /** The texts of .po files, by locale, as PUT /translations/default/:locale takes them. */
  readonly translations?: Readonly<Record<string, string>>
  /** The devices of users, by user id: the `tokens` that PUT /users/:id/tokens takes. */
  readonly tokens?: Readonly<Record<string, ReadonlyArray<typeof GivenToken.Encoded>>>
  /**
   * What PUT /audiences/:id takes, by audience id. The members are the users with a profile whom the filter matches
   * when a send reads them.
   */
  readonly audiences?: Readonly<Record<string, AudienceBody>>
  /** What PUT /send-limits/:per/:period takes, by `per/period`: `{ "user/day": { limit: 3 } }`. */
  readonly limits?: Readonly<Partial<Record<LimitPath, SendLimit>>>
}

export const environments = [Scope.make(1), Scope.make(2)]
const sectionId = "topics"

/** Rows for both environments, by the names under which the store keeps them. */
const everywhere = <A>(
  entries: ReadonlyArray<readonly [id: string, of: (scope: Scope) => A]>
): HashMap.HashMap<string, A> =>
  HashMap.fromIterable(
    environments.flatMap((scope) => entries.map(([id, of]) => [nameOf(scope, id), of(scope)] as const))
  )

/** Each topic by its id. */
const topicsOf = ({ topics = [] }: Given): ReadonlyArray<readonly [id: string, topic: PreferenceTopic]> =>
  Array.isArray(topics)
    ? topics.map((id) => [id, { name: id, default_status: "OPTED_IN" }])
    : Object.entries(topics)

/** What the API stores of a template that says this; its name is its id. */
export const templateOf = (id: string, said: GivenTemplate): Template => {
  const {
    brand = null,
    elements,
    routing = null,
    subscription = null,
    tags = [],
    throw_on_variable_not_found,
    version
  } = said
  const content = { version: version ?? elementalVersion, elements }
  return { name: id, tags, brand, subscription, routing, content, throw_on_variable_not_found }
}

/**
 * The state of the store when a world begins, without what `Configured.ts` stores.
 * `at`: the time of its rows, in epoch ms.
 */
export const stored = (empty: State, given: Given, at: number): State => {
  const { lists = {}, profiles = {}, strategies = {}, templates = {} } = given
  const topics = topicsOf(given)
  const times = { created: at, updated: at }
  const section = (scope: Scope) => ({ scope, id: sectionId, section: JSON.stringify({ name: sectionId }), ...times })
  const topic = (id: string, said: PreferenceTopic) => (scope: Scope) => {
    return { scope, id, sectionId, topic: JSON.stringify(said), archived: false, ...times }
  }
  const list = (id: string) => (scope: Scope) => ({
    scope,
    id,
    name: id,
    preferences: null,
    deletedAt: undefined,
    ...times
  })
  const template = (id: string, said: GivenTemplate) => (scope: Scope) => {
    const draft = JSON.stringify(templateOf(id, said))
    const live = { draft, draftAt: at, live: 1, versions: [{ template: draft, created: at }] }
    return { scope, id, alias: undefined, archived: false, ...live, ...times }
  }
  const strategy = (id: string, said: RoutingStrategy) => (scope: Scope) => {
    return { scope, id, strategy: JSON.stringify(said), created: at, updated: undefined }
  }
  const subscriptions = (listId: string, users: ReadonlyArray<string>) => (scope: Scope) =>
    HashMap.fromIterable(
      users.map((userId) => [userId, { scope, listId, userId, preferences: null, created: at }] as const)
    )
  return {
    ...empty,
    profiles: everywhere(
      Object.entries(profiles).map(([id, profile]) => [id, () => JSON.stringify(profile)] as const)
    ),
    lists: everywhere(Object.keys(lists).map((id) => [id, list(id)] as const)),
    templates: everywhere(Object.entries(templates).map(([id, said]) => [id, template(id, said)] as const)),
    strategies: everywhere(Object.entries(strategies).map(([id, said]) => [id, strategy(id, said)] as const)),
    subscriptions: everywhere(Object.entries(lists).map(([id, users]) => [id, subscriptions(id, users)] as const)),
    preferences: {
      ...empty.preferences,
      sections: everywhere(topics.length === 0 ? [] : [[sectionId, section] as const]),
      topics: everywhere(topics.map(([id, said]) => [id, topic(id, said)] as const))
    }
  }
}
