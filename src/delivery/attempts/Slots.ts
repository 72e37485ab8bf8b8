import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import * as Turns from "#src/fibers/Turns.ts"
import { unless } from "#src/fibers/Unless.ts"
import { Effect } from "effect"

/**
 * How many more calls than a provider has connections may be written down: while their intents are committed, no
 * connection is idle. Each of them may be left unknown by a kill.
 */
const leastAhead = 32

/**
 * The connections of one provider configuration. What waits for a slot has no intent yet, so that its wait is neither a
 * call that began nor a failure of the provider's. Lanes that wait are served by turns, and so are the tenants within a
 * lane: a slow provider is shared, and bulk jobs do not hold up a one-time password, however many tenants have some.
 */
export interface Slots {
  /** By turns. */
  readonly begun: Turns.Turns
  /** In the order in which they were begun (`inLine`). */
  readonly connections: Turns.Turns
}

/** Slots for so many connections. `ahead`: how many more calls may be written down. */
export const make = (connections: number, ahead = Math.max(leastAhead, connections)): Slots => ({
  begun: Turns.make(connections + ahead),
  connections: Turns.make(connections)
})

/**
 * How long a message waits for a slot in this node's hands, where it takes the room of others, and holds up whoever waits
 * to be alone.
 */
const patience = "10 seconds"

export type Waiting = Pick<OpenMessage, "lane" | "scope" | "tenantId">

/** Whose turn a message waits for. */
export const turnOf = (message: Waiting): Turns.Turn => ({ lane: message.lane, whose: LaneShares.turnOf(message) })

/** What becomes of an attempt while it waits. */
export interface Waits<A> {
  /** It begins to. */
  readonly waits: Effect.Effect<void>
  /** Done once its shard is handed over. */
  readonly handedOver: Effect.Effect<void>
  /** What it does then: nothing waits any longer. */
  readonly left: Effect.Effect<A>
}

/** What becomes of an attempt that needs slots. */
export interface Attempt<A> extends Waits<A> {
  /** `waited`: not at once, and the message may have changed meanwhile. */
  readonly begin: (waited: boolean) => Effect.Effect<A>
  /** There was none in time. */
  readonly late: Effect.Effect<A>
}

/** Makes an attempt once it may be written down. */
export const begin = <A>(slots: Slots, message: Waiting, attempt: Attempt<A>): Effect.Effect<A> =>
  slots.begun.ifAvailable(
    () => attempt.begin(false),
    () =>
      Effect.andThen(
        attempt.waits,
        unless(slots.begun.inTurn(turnOf(message)), Effect.suspend(() => attempt.begin(true)), [
          { once: Effect.sleep(patience), instead: attempt.late },
          { once: attempt.handedOver, instead: attempt.left }
        ])
      )
  )

/** Whether an attempt may be written down at once. */
export const isFree = ({ begun }: Slots): Effect.Effect<boolean> => Effect.map(begun.available, (free) => free > 0)

/** Of all who wait for a connection: a call that is written down does not come behind later ones. */
const inLine: Turns.Turn = { lane: "", whose: "" }

/** Makes a call once a connection is free, unless its shard is handed over before. */
export const connect = <A>(
  { connections }: Slots,
  call: Effect.Effect<A>,
  { handedOver, left }: Pick<Waits<A>, "handedOver" | "left">
): Effect.Effect<A> =>
  connections.ifAvailable(
    () => call,
    () => unless(connections.inTurn(inLine), call, [{ once: handedOver, instead: left }])
  )
