import type { Turn } from "#src/content/Mjml.ts"
import { type Effect, PartitionedSemaphore } from "effect"

/**
 * Lets so many work at once. First the lanes that wait take turns, then within each lane those whose work it is: one
 * waits behind one of each other lane, and of each other of its own lane, at most.
 */
export const make = (atOnce: number) => {
  const lanes = PartitionedSemaphore.makeUnsafe<string>({ permits: atOnce })
  // Of each lane only as many stand before the others as may work at once.
  const within = new Map<string, PartitionedSemaphore.PartitionedSemaphore<string>>()

  const inLane = (lane: string) => {
    const known = within.get(lane)
    if (known !== undefined) return known
    const made = PartitionedSemaphore.makeUnsafe<string>({ permits: atOnce })
    within.set(lane, made)
    return made
  }

  return ({ lane, whose }: Turn) => <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    inLane(lane).withPermit(whose)(lanes.withPermit(lane)(work))
}
