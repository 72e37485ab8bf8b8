import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/**
 * Keeps the members of audiences in step with profiles. The work to do is stored: the write of a profile commits a mark
 * with it, the write of an audience the start of a count over all profiles. So both survive a crash. A step commits its
 * results together with its progress. One node works at a time.
 */
export class AudienceSteps extends Context.Service<AudienceSteps, {
  /**
   * One step: a batch of members of deleted tenants, a batch of marks, and a page of a count, as far as there are any.
   * Answers `true` if there may be more to do at once.
   */
  readonly advance: Effect.Effect<boolean, StoreUnavailable>
}>()("tidings/AudienceSteps") {}
