import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Ticket } from "#src/delivery/Provider.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, Schema } from "effect"

/** The tickets of one attempt of which their push service has not told yet. */
export interface PendingTickets {
  readonly scope: Scope
  readonly messageId: MessageId
  /** The attempt's number, and the name under which it is stored. */
  readonly attempt: number
  readonly provider: string
  readonly tickets: ReadonlyArray<Ticket>
  /** Another push of the attempt was handed to its device's platform. */
  readonly reached: boolean
  /** Epoch ms. */
  readonly sentAt: number
}

/**
 * How long after the attempt its tickets are asked about first, in ms: what Expo recommends
 * (docs.expo.dev/push-notifications/sending-notifications).
 */
export const firstAsked = 15 * 60_000

/** How long, in ms, tickets that were taken are nobody else's. */
export const lease = 3 * 60_000

/** Tickets as they are stored. */
export const Tickets = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ id: Schema.String, service: Schema.String, address: Schema.String }))
)

/**
 * The tickets that are to be asked about. An attempt's are stored in the commit that says that it was accepted
 * (`Journal.record`), so that none is lost with its node.
 */
export class PushTickets extends Context.Service<PushTickets, {
  /**
   * Those whose time has come, the longest due first. Until they are kept, or `lease` is over, as after the death of who
   * took them, nobody else gets them.
   */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<PendingTickets>, StoreUnavailable>
  /** What is left of some that were taken, and when (epoch ms) it is asked about next; `undefined`: never. */
  readonly keep: (
    left: ReadonlyArray<PendingTickets & { readonly dueAt: number | undefined }>
  ) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/PushTickets") {}
