import type { AudienceFilter, LogicalOperator } from "#schemas/Audience.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such audience: 404. */
export class AudienceNotFound
  extends Schema.TaggedError<AudienceNotFound>()("AudienceNotFound", { id: Schema.String })
{}

/** What callers say of an audience. Without a filter it has no members. */
export interface AudienceDraft {
  readonly name: string
  readonly description: string
  readonly filter: AudienceFilter | undefined
  readonly operator: LogicalOperator | undefined
}

/** `version` counts the writes of it, from 1; times in epoch ms. */
export interface AudienceRecord extends AudienceDraft {
  readonly id: string
  readonly version: number
  readonly created: number
  readonly updated: number
}

/** `version`: that of the audience which the user was last found to match; `added` in epoch ms. */
export interface AudienceMember {
  readonly userId: string
  readonly version: number
  readonly added: number
  readonly reason: string
}

/**
 * Audiences: users chosen by a filter over their profiles (api.md §8). Who belongs to one is worked out after each write
 * of it, and follows profiles from then on (`AudienceSteps`). Pages are in the order of ids, stable while others write.
 */
export class Audiences extends Context.Service<Audiences, {
  /** Creates or replaces it, and has its members counted anew. */
  readonly put: (scope: Scope, id: string, audience: AudienceDraft) => Effect.Effect<AudienceRecord, StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<AudienceRecord, AudienceNotFound | StoreUnavailable>
  readonly list: (
    scope: Scope,
    query: PageQuery
  ) => Effect.Effect<Page<AudienceRecord>, InvalidCursor | StoreUnavailable>
  /** For good, and idempotent; whether it was there. */
  readonly remove: (scope: Scope, id: string) => Effect.Effect<boolean, StoreUnavailable>
  readonly members: (
    scope: Scope,
    id: string,
    query: PageQuery
  ) => Effect.Effect<Page<AudienceMember>, AudienceNotFound | InvalidCursor | StoreUnavailable>
}>()("tidings/Audiences") {}
