import type { AudienceFilter, LogicalOperator } from "#schemas/Audience.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such audience: 404. */
export class AudienceNotFound
  extends Schema.TaggedError<AudienceNotFound>()("AudienceNotFound", { id: Schema.String })
{}

/** An audience as callers write it. Without a filter it has no members. */
export interface AudienceDraft {
  readonly name: string
  readonly description: string
  readonly filter: AudienceFilter | undefined
  readonly operator: LogicalOperator | undefined
}

/**
 * `version` counts the audience's writes, from 1; one that is made again while members of a removed one are still there
 * may go on from that. Times in epoch ms.
 */
export interface AudienceRecord extends AudienceDraft {
  readonly id: string
  readonly version: number
  readonly created: number
  readonly updated: number
}

/** `version`: the audience's version that the user was last found to match. `added` in epoch ms. */
export interface AudienceMember {
  readonly userId: string
  readonly version: number
  readonly added: number
  readonly reason: string
}

/**
 * Audiences: users chosen by a filter over their profiles (api.md §8). The members are worked out after each write of
 * the audience, and follow the profiles from then on (`AudienceSteps`). Pages are ordered by id, stable while others
 * write.
 */
export class Audiences extends Context.Service<Audiences, {
  /** Creates or replaces it, and starts a new count of its members. */
  readonly put: (scope: Scope, id: string, audience: AudienceDraft) => Effect.Effect<AudienceRecord, StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<AudienceRecord, AudienceNotFound | StoreUnavailable>
  readonly list: (
    scope: Scope,
    query: PageQuery
  ) => Effect.Effect<Page<AudienceRecord>, InvalidCursor | StoreUnavailable>
  /** Cannot be undone. Idempotent; answers whether it was there. */
  readonly remove: (scope: Scope, id: string) => Effect.Effect<boolean, StoreUnavailable>
  readonly members: (
    scope: Scope,
    id: string,
    query: PageQuery
  ) => Effect.Effect<Page<AudienceMember>, AudienceNotFound | InvalidCursor | StoreUnavailable>
}>()("tidings/Audiences") {}
