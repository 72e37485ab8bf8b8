import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { ListPattern } from "#src/people/ListPattern.ts"
import { Context, type Effect } from "effect"

/** A group that a send can name (api.md 2.1). */
export type Source =
  | { readonly _tag: "List"; readonly id: string }
  | { readonly _tag: "Pattern"; readonly pattern: ListPattern }
  | { readonly _tag: "Audience"; readonly id: string }
  | { readonly _tag: "Tenant"; readonly id: string; readonly includeChildren: boolean }

/** Where a member stands in a source: pages go by `group` and then by user. */
export interface Position {
  readonly group: string
  readonly userId: string
}

/** A member as the source has it; a user may be in it several times, once for each list or tenant (`group`) of it. */
export interface Member extends Position {
  readonly listId?: string | undefined
  readonly tenantId?: string | undefined
}

/**
 * The users of a group, a page at a time. Whoever is a member during the whole walk is met; deleted lists and what does not exist have no
 * members.
 */
export class Members extends Context.Service<Members, {
  /** At most `limit` members behind `after`; fewer mean that these are the last. With `memberOf`, only users who are in all these tenants. */
  readonly page: (
    scope: Scope,
    source: Source,
    options: {
      readonly after: Position | undefined
      readonly limit: number
      readonly memberOf: ReadonlyArray<string>
    }
  ) => Effect.Effect<ReadonlyArray<Member>, StoreUnavailable>
  /** Whether there is such a group; a pattern always is one. */
  readonly exists: (scope: Scope, source: Source) => Effect.Effect<boolean, StoreUnavailable>
}>()("tidings/Members") {}
