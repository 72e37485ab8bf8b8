import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/**
 * Keeps the members of audiences in step with profiles. What is to be done is stored: the write of a profile leaves a mark
 * in its own commit, the write of an audience the start of a count over all profiles; both survive a crash, and a step
 * commits what it found together with its place. One node works at a time.
 */
export class AudienceSteps extends Context.Service<AudienceSteps, {
  /**
   * One step: a batch of the members that a tenant has left behind, a batch of marks and a page of a count, if there are any. `true`: there may be
   * more to do at once.
   */
  readonly advance: Effect.Effect<boolean, StoreUnavailable>
}>()("tidings/AudienceSteps") {}
