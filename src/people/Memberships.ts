import type { JsonMap } from "#schemas/Optional.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import type { TenantNotFound } from "#src/people/Tenants.ts"
import { Context, type Effect, type Option, Schema } from "effect"

/** The user is not in the tenant, or the tenant does not exist: 404. */
export class MembershipNotFound extends Schema.TaggedError<MembershipNotFound>()("MembershipNotFound", {
  tenantId: Schema.String,
  userId: Schema.String
}) {}

/** A user in a tenant. `profile`: the user's profile within this tenant. */
export interface Membership {
  readonly tenantId: string
  readonly userId: string
  readonly profile: JsonMap | undefined
}

/** `profile`: `null` is none; `undefined` leaves it as it is, or as an earlier one for the same tenant says. */
export interface NewMembership {
  readonly tenantId: string
  readonly profile: JsonMap | null | undefined
}

/** Which users are in which tenants (api.md §11). A user need not have a profile. Each write is one atomic change. */
export class Memberships extends Context.Service<Memberships, {
  /**
   * Creates the user's memberships in these tenants, or replaces the profiles of those there are; none if one of the
   * tenants does not exist.
   */
  readonly put: (
    scope: Scope,
    userId: string,
    tenants: ReadonlyArray<NewMembership>
  ) => Effect.Effect<void, TenantNotFound | StoreUnavailable>
  /** Idempotent. */
  readonly remove: (scope: Scope, userId: string, tenantId: string) => Effect.Effect<void, StoreUnavailable>
  /** Removes every membership of the user. Idempotent. */
  readonly removeAll: (scope: Scope, userId: string) => Effect.Effect<void, StoreUnavailable>
  /** Ordered by the tenant's id. */
  readonly ofUser: (
    scope: Scope,
    userId: string,
    query: PageQuery
  ) => Effect.Effect<Page<Membership>, InvalidCursor | StoreUnavailable>
  /** Ordered by the user's id; empty for a tenant that does not exist. */
  readonly ofTenant: (
    scope: Scope,
    tenantId: string,
    query: PageQuery
  ) => Effect.Effect<Page<Membership>, InvalidCursor | StoreUnavailable>
  /** Batched: calls of one turn of the event loop share a statement. */
  readonly find: (
    scope: Scope,
    userId: string,
    tenantId: string
  ) => Effect.Effect<Option.Option<Membership>, StoreUnavailable>
  /** The membership of a user who is in exactly one tenant. Batched. */
  readonly sole: (scope: Scope, userId: string) => Effect.Effect<Option.Option<Membership>, StoreUnavailable>
}>()("tidings/Memberships") {}
