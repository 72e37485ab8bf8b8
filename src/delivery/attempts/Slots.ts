import { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import { Effect, Option, PartitionedSemaphore, Semaphore } from "effect"

/**
 * How many more calls than a provider has connections may be written down: while their intents are committed, no
 * connection is idle. Each of them may be left unknown by a kill.
 */
const leastAhead = 32

/**
 * The connections of one provider configuration. What waits for a slot has no intent yet, so that its wait is neither a
 * call that began nor a failure of the provider's. Turns that wait are served one after the other, so a slow provider
 * is shared, and a bulk job does not hold up a one-time password.
 */
export interface Slots {
  /** By turn. */
  readonly begun: PartitionedSemaphore.PartitionedSemaphore<string>
  readonly connections: Semaphore.Semaphore
}

/** What one call takes of them: `needs` is how many connections it uses at once. */
export interface Share {
  readonly slots: Slots
  readonly needs: number
}

/** Slots for so many connections. `ahead`: how many more calls may be written down. */
export const make = (connections: number, ahead = Math.max(leastAhead, connections)): Slots => ({
  begun: PartitionedSemaphore.makeUnsafe({ permits: connections + ahead }),
  connections: Semaphore.makeUnsafe(connections)
})

/** What a call takes that needs one connection. */
export const one = (slots: Slots): Share => ({ slots, needs: 1 })

/**
 * The commit that is to store the message does not wait for its first step: that may take as long as other messages'
 * calls.
 */
const spare = ({ id }: Pick<OpenMessage, "id">): Effect.Effect<void> =>
  Effect.map(Effect.serviceOption(FirstSteps), (firsts) => {
    if (Option.isSome(firsts)) firsts.value.over(id)
  })

/** Makes an attempt once it may be written down. `waited`: not at once, and the message may have changed meanwhile. */
export const begin = <A>(
  { needs, slots: { begun } }: Share,
  message: Pick<OpenMessage, "id" | "lane" | "scope" | "tenantId">,
  attempt: (waited: boolean) => Effect.Effect<A>
): Effect.Effect<A> =>
  Effect.flatMap(
    begun.withPermitsIfAvailable(needs)(Effect.suspend(() => attempt(false))),
    Option.match({
      onSome: Effect.succeed,
      onNone: () =>
        Effect.andThen(
          spare(message),
          begun.withPermits(`${message.lane} ${LaneShares.turnOf(message)}`, needs)(
            Effect.suspend(() => attempt(true))
          )
        )
    })
  )

/** Makes a call once its connections are free. */
export const connect = <A>({ needs, slots: { connections } }: Share, call: Effect.Effect<A>): Effect.Effect<A> =>
  connections.withPermits(needs)(call)
