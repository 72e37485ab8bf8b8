import { Effect, Latch } from "effect"

/**
 * How long who is about to accept waits for room, in ms: then it goes on, since what keeps the room may have nothing to
 * do with its callers.
 */
const patience = 100

/** Counts what an engine has still to do, and holds up who would give it more. */
export interface Pace {
  readonly add: (amount: number) => void
  readonly remove: (amount: number) => void
  readonly total: () => number
  /** Waits, at most for 100 ms, until no more than enough is left. */
  readonly room: Effect.Effect<void>
}

/** `enough`: with more than that, there is no room. */
export const make = (enough: number): Pace => {
  let total = 0
  const isOpen = Latch.makeUnsafe(true)
  const isCrowded = () => total > enough
  return {
    add: (amount) => {
      total += amount
      if (isCrowded()) Latch.closeUnsafe(isOpen)
    },
    remove: (amount) => {
      total -= amount
      if (!isCrowded()) Latch.openUnsafe(isOpen)
    },
    total: () => total,
    room: Effect.suspend(() => isCrowded() ? Effect.asVoid(Effect.timeoutOption(isOpen.await, patience)) : Effect.void)
  }
}
