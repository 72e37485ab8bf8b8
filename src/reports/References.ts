import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, type Option } from "effect"

/** How long, in ms, a message is found by its provider's reference; receipts come within hours, late bounces within days. */
export const memory = 8 * 24 * 3_600_000

/** Which message a provider's own id stands for. */
export class References extends Context.Service<References, {
  /** Looks among the calls of the last days that went through a provider of one of these names. */
  readonly find: (
    scope: Scope,
    providers: ReadonlyArray<string>,
    reference: string
  ) => Effect.Effect<Option.Option<MessageId>, StoreUnavailable>
}>()("tidings/References") {}
