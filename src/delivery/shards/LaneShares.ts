import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"

/** Whose turn a message takes within its lane: its environment's, and its tenant's in there. Order is that of the text (design.md §3, Lanes). */
export const turnOf = ({ scope, tenantId }: Pick<OpenMessage, "scope" | "tenantId">): string =>
  `${scope}:${tenantId ?? ""}`

/** How often what is free one turn may hold. */
const share = 3

/**
 * What each turn holds of a lane's room, by weight (`Weight.ofMessage`). A turn may hold three times what is free (the dynamic thresholds of Choudhury and Hahne, 1998): one
 * alone gets three quarters of the room, two three sevenths each, and a room that others fill empties towards who holds little.
 * The last one to come may weigh more than is free.
 */
export const make = (capacity: number) => {
  const held = new Map<string, number>()
  let total = 0
  const free = () => capacity - total
  const of = (turn: string) => held.get(turn) ?? 0
  const isFull = (turn: string) => of(turn) > 0 && of(turn) >= free()
  return {
    free,
    /** How many messages that say little may be held more for the turn. */
    openings: (turn: string): number => Math.max(0, Math.floor((share * free() - of(turn)) / (share + 1))),
    /** Whether one more message may be held for the turn. */
    mayHold: (turn: string) => of(turn) < share * free(),
    /** Whether the turn holds as much as is free: it is not worth reading for. One that holds nothing never is. */
    isFull,
    full: (): ReadonlyArray<string> => [...held.keys()].filter(isFull),
    add: (turn: string, weight: number): void => {
      held.set(turn, of(turn) + weight)
      total += weight
    },
    remove: (turn: string, weight: number): void => {
      const left = of(turn) - weight
      if (left > 0) held.set(turn, left)
      else held.delete(turn)
      total -= weight
    }
  }
}
