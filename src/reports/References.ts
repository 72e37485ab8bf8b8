import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/**
 * How long, in ms, a message can be found by its provider's reference. Receipts come within hours, late bounces within
 * days.
 */
export const memory = 8 * 24 * 3_600_000

/** Finds messages by the ids that providers gave them. */
export class References extends Context.Service<References, {
  /**
   * The messages of those references that are known. Looks among the calls of the last `memory` ms that went through a
   * provider of one of these names.
   */
  readonly find: (
    scope: Scope,
    providers: ReadonlyArray<string>,
    references: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, MessageId>, StoreUnavailable>
}>()("tidings/References") {}
