import type { Profile } from "#schemas/Profile.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Tenant } from "#schemas/Tenant.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Memberships } from "#src/people/Memberships.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { Effect, Option, type Schema } from "effect"

/** The tenant that a message is sent in (api.md 11, Tenant semantics). */
export interface Tenancy {
  /** The tenant and its ancestors, nearest first. Empty if there is none, or it does not exist. */
  readonly chain: ReadonlyArray<Tenant>
  /** The recipient's profile within the tenant. */
  readonly profile: Profile | undefined
}

export const none: Tenancy = { chain: [], profile: undefined }

/** The tenant that a recipient is said to be in, where it does not exist: the message is sent outside of tenants. */
export const unknownTo = ({ chain }: Tenancy, { tenant_id: named }: Recipient): string | undefined =>
  typeof named === "string" && chain.length === 0 ? named : undefined

/**
 * Merges the profiles, later ones over earlier ones: the tenants' from the furthest ancestor down, the user's own, the
 * user's within the tenant.
 */
export const profileIn = ({ chain, profile }: Tenancy, stored: Profile): Profile => {
  const layers = [...chain.toReversed().map(({ userProfile }) => userProfile), stored, profile]
  const given = layers.filter((layer): layer is Profile => layer !== undefined)
  return given.length === 1 ? stored : given.reduce(ProfileChange.overlay, {})
}

/**
 * The variable `tenant` of templates: the tenant's properties merged over its ancestors', at the top level and again
 * under `properties`, and its name.
 */
export const variable = ({ chain }: Tenancy): Schema.JsonObject | undefined => {
  const [tenant] = chain
  if (tenant === undefined) return undefined
  const properties = chain.toReversed().reduce<Schema.JsonObject>(
    (under, { properties: own }) => own === undefined ? under : ProfileChange.merge(under, own),
    {}
  )
  return {
    ...properties,
    properties,
    id: tenant.id,
    name: tenant.name,
    ...(tenant.parentId === undefined ? {} : { parent_tenant_id: tenant.parentId })
  }
}

/** Finds the tenants of messages. Costs nothing for a message without one in an environment without tenants. */
export const make = Effect.gen(function*() {
  const tenants = yield* Tenants
  const memberships = yield* Memberships

  const within = Effect.fnUntraced(
    function*(scope: Scope, id: string, userId: Recipient["user_id"]): Effect.fn.Return<Tenancy, StoreUnavailable> {
      const chain = yield* tenants.chain(scope, id)
      if (chain.length === 0 || typeof userId !== "string") return { chain, profile: undefined }
      const membership = yield* memberships.find(scope, userId, id)
      return { chain, profile: Option.getOrUndefined(membership)?.profile }
    }
  )

  return {
    /** The recipient with its tenant: the one that the send names, otherwise the user's only one. */
    placed: (scope: Scope, recipient: Recipient): Effect.Effect<Recipient, StoreUnavailable> => {
      const { tenant_id: named, user_id: userId } = recipient
      if (typeof named === "string" || typeof userId !== "string") return Effect.succeed(recipient)
      return Effect.flatMap(tenants.some(scope), (some) =>
        some
          ? Effect.map(
            memberships.sole(scope, userId),
            (sole) => Option.isNone(sole) ? recipient : Object.assign({}, recipient, { tenant_id: sole.value.tenantId })
          )
          : Effect.succeed(recipient))
    },
    of: (scope: Scope, { tenant_id: id, user_id: userId }: Recipient): Effect.Effect<Tenancy, StoreUnavailable> =>
      typeof id === "string" ? within(scope, id, userId) : Effect.succeed(none)
  }
})
