import type { LimitedBy, LimitPeriod, SendLimit } from "#schemas/SendLimit.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, Schema } from "effect"

/** There is no such limit: 404. */
export class SendLimitNotFound
  extends Schema.TaggedError<SendLimitNotFound>()("SendLimitNotFound", { per: Schema.String, period: Schema.String })
{}

/** What a limit is known by: an environment has one for each at most. */
export interface LimitName {
  readonly per: LimitedBy
  readonly period: LimitPeriod
}

/** A stored limit. Times in epoch ms. */
export interface SendLimitRecord extends LimitName {
  readonly said: SendLimit
  readonly created: number
  readonly updated: number | undefined
}

/** How many messages an environment may send, to whom and about what (spec.md, Limits; api.md 26.7). */
export class SendLimits extends Context.Service<SendLimits, {
  readonly put: (scope: Scope, name: LimitName, said: SendLimit) => Effect.Effect<SendLimitRecord, StoreUnavailable>
  readonly get: (scope: Scope, name: LimitName) => Effect.Effect<SendLimitRecord, SendLimitNotFound | StoreUnavailable>
  readonly remove: (scope: Scope, name: LimitName) => Effect.Effect<void, SendLimitNotFound | StoreUnavailable>
  /** All of an environment, in the order of their names. */
  readonly list: (scope: Scope) => Effect.Effect<ReadonlyArray<SendLimitRecord>, StoreUnavailable>
  /**
   * The same, cheap, since every message asks: the very same value while nothing changed. A change counts at once on
   * this node and within 2 s on others.
   */
  readonly installed: (scope: Scope) => Effect.Effect<ReadonlyArray<SendLimitRecord>, StoreUnavailable>
}>()("tidings/SendLimits") {}
