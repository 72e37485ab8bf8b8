import type { Turn } from "#src/fibers/Turns.ts"

/** How many wait at a rate gate: in all, and of each lane and turn. */
export interface Crowd {
  readonly total: () => number
  /** Those of this turn. */
  readonly before: (turn: Turn) => number
  /** How many pass before one that comes now, at most: a turn of each lane, and in its lane of each whose, for each before it. */
  readonly ahead: (turn: Turn) => number
  /** One more, or less, waits. */
  readonly count: (turn: Turn, by: 1 | -1) => void
}

export const make = (): Crowd => {
  const lanes = new Map<string, Map<string, number>>()
  let total = 0
  const before = ({ lane, whose }: Turn): number => lanes.get(lane)?.get(whose) ?? 0
  return {
    total: () => total,
    before,
    ahead: (turn) => {
      const lines = lanes.get(turn.lane)
      const own = (lines?.size ?? 0) + (before(turn) > 0 ? 0 : 1)
      return Math.min(total, (before(turn) + 1) * own * (lanes.size + (lines === undefined ? 1 : 0)) - 1)
    },
    count: (turn, by) => {
      const { lane, whose } = turn
      const lines = lanes.get(lane) ?? new Map<string, number>()
      const left = before(turn) + by
      total += by
      if (left > 0) lanes.set(lane, lines.set(whose, left))
      else if (lines.delete(whose) && lines.size === 0) lanes.delete(lane)
    }
  }
}
