import { Scope } from "#schemas/Scope.ts"
import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import type { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { Clock, Effect, type Fiber } from "effect"

export const key = "mail"

export const messageOf = (lane: Lane, tenantId?: string) => ({ lane, tenantId, scope: Scope.make(1) })

export const bulk = messageOf("bulk")

/** How it ended, in ms; whether it had waited. */
export type End = readonly ["passed" | "away" | "left", number, boolean]

/** An attempt that gets a slot at once. */
export const plain = <A>(): Omit<RateGates.Attempt<A>, "begin" | "sentAway"> => ({
  slot: (next) => next(false),
  hasSlot: Effect.succeed(true),
  waits: Effect.void,
  handedOver: Effect.never,
  left: Effect.never,
  named: () => undefined,
  since: 0
})

export const atOnce = plain<End>()

/** Goes through the gate: the ms after which it was let through, or those after which it may come back. */
export const go = Effect.fnUntraced(
  function*(message = bulk, isComingBack = true, slots = atOnce, since = 0) {
    const { through } = yield* RateGates.RateGates
    const from = yield* Clock.currentTimeMillis
    return yield* through<End>(key, message, {
      ...slots,
      begin: (_, waited) => Effect.map(Clock.currentTimeMillis, (now) => ["passed", now - from, waited]),
      sentAway: (wait, comesBack) =>
        Effect.sync(() => {
          if (isComingBack) comesBack()
          return ["away", Math.round(wait), false]
        }),
      since
    })
  }
)

export const start = (message = bulk, slots = atOnce) =>
  Effect.forkChild(go(message, true, slots), { startImmediately: true })

/** The provider says that it takes no more for now, and names a wait (ms). */
export const refuse = Effect.fnUntraced(function*(named = 0) {
  const { refused } = yield* RateGates.RateGates
  return refused(key, (yield* Clock.monotonicTimeNanos) + 1n, named)
})

export const settled = <A, E>(fiber: Fiber.Fiber<A, E>) => fiber.pollUnsafe() !== undefined
