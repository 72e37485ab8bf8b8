import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"

/**
 * The turn that a message takes within its lane: each tenant of an environment has one, and so have the environment's
 * messages without a tenant. Turns are in the order of this text (design.md §3, Lanes).
 */
export const turnOf = ({ scope, tenantId }: Pick<OpenMessage, "scope" | "tenantId">): string =>
  `${scope}:${tenantId ?? ""}`

/** How many times the free room one turn may hold. */
const share = 3

/**
 * Counts what each turn holds of a lane's room, by weight (`Weight.ofMessage`). A turn may hold three times what is
 * free (the dynamic thresholds of Choudhury and Hahne, 1998). So one turn alone gets three quarters of the room, two
 * get three sevenths each, and when a full room empties, turns that hold little are served first. The last message to
 * come may weigh more than is free.
 */
export const make = (capacity: number) => {
  const held = new Map<string, number>()
  let total = 0
  const free = () => capacity - total
  const of = (turn: string) => held.get(turn) ?? 0
  const isFull = (turn: string) => of(turn) > 0 && of(turn) >= free()
  return {
    free,
    /** How many more messages of weight 1 may be held for the turn. */
    openings: (turn: string): number => Math.max(0, Math.floor((share * free() - of(turn)) / (share + 1))),
    /** Whether one more message may be held for the turn. */
    mayHold: (turn: string) => of(turn) < share * free(),
    /**
     * Whether the turn holds at least as much as is free, so that reading for it is not worth while; never true of one
     * that holds nothing.
     */
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
