import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { ListPattern } from "#src/people/ListPattern.ts"
import { Context, type Effect, Schema } from "effect"

/** An audience's members are still being counted: for a moment, nobody knows who they are. */
export class MembersUncounted extends Schema.TaggedError<MembersUncounted>()("MembersUncounted", {}) {}

/** A group that a send can name (api.md 2.1). */
export type Source =
  | { readonly _tag: "List"; readonly id: string }
  | { readonly _tag: "Pattern"; readonly pattern: ListPattern }
  | { readonly _tag: "Audience"; readonly id: string }
  | { readonly _tag: "Tenant"; readonly id: string; readonly includeChildren: boolean }

/** A member's place in a source: pages are ordered by `group`, then by user. */
export interface Position {
  readonly group: string
  readonly userId: string
}

/** A member of a source. A user may be in it several times, once for each of its lists or tenants (`group`). */
export interface Member extends Position {
  readonly listId?: string | undefined
  readonly tenantId?: string | undefined
}

/**
 * The users of a group, page by page. Whoever is a member during the whole walk is found. Deleted lists and groups that
 * do not exist have no members.
 */
export class Members extends Context.Service<Members, {
  /**
   * At most `limit` members after `after`; fewer mean that there are no more. With `memberOf`, only users who are in
   * all these tenants. With `latest`, an audience's members are uncounted, too, while what was written of profiles and
   * memberships of its environment is not followed yet.
   */
  readonly page: (
    scope: Scope,
    source: Source,
    options: {
      readonly after: Position | undefined
      readonly limit: number
      readonly memberOf: ReadonlyArray<string>
      readonly latest?: boolean
    }
  ) => Effect.Effect<ReadonlyArray<Member>, MembersUncounted | StoreUnavailable>
  /** Whether the group exists; a pattern always does. */
  readonly exists: (scope: Scope, source: Source) => Effect.Effect<boolean, StoreUnavailable>
}>()("tidings/Members") {}
