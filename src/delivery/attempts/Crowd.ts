import type { Turn } from "#src/fibers/Turns.ts"

/** One who waits at a rate gate. */
export interface Waiter {
  readonly turn: Turn
  /** Since when it is due, in epoch ms. */
  readonly since: number
  /** Sends it away, for one who is due for longer. */
  readonly makeRoom: () => void
}

/** Those who wait at a rate gate, by lane and turn. */
export interface Crowd {
  readonly total: () => number
  /** How many of this turn. */
  readonly before: (turn: Turn) => number
  /** How many pass before one that comes now, at most: a turn of each lane, and in its lane of each whose, for each before it. */
  readonly ahead: (turn: Turn) => number
  /** Who is due for the shortest time, of this turn or, if none of it waits, of its lane. */
  readonly youngest: (turn: Turn) => Waiter | undefined
  readonly add: (waiter: Waiter) => void
  readonly delete: (waiter: Waiter) => void
}

export const make = (): Crowd => {
  const lanes = new Map<string, Map<string, Set<Waiter>>>()
  let total = 0
  const lineOf = ({ lane, whose }: Turn) => lanes.get(lane)?.get(whose)
  const before = (turn: Turn): number => lineOf(turn)?.size ?? 0
  return {
    total: () => total,
    before,
    ahead: (turn) => {
      const lines = lanes.get(turn.lane)
      const own = (lines?.size ?? 0) + (before(turn) > 0 ? 0 : 1)
      return Math.min(total, (before(turn) + 1) * own * (lanes.size + (lines === undefined ? 1 : 0)) - 1)
    },
    youngest: (turn) => {
      const line = lineOf(turn)
      let youngest: Waiter | undefined
      for (const waiters of line === undefined ? lanes.get(turn.lane)?.values() ?? [] : [line]) {
        for (const waiter of waiters) if (youngest === undefined || waiter.since > youngest.since) youngest = waiter
      }
      return youngest
    },
    add: (waiter) => {
      const { lane, whose } = waiter.turn
      const lines = lanes.get(lane) ?? new Map<string, Set<Waiter>>()
      lanes.set(lane, lines.set(whose, (lines.get(whose) ?? new Set<Waiter>()).add(waiter)))
      total++
    },
    delete: (waiter) => {
      const { lane, whose } = waiter.turn
      const line = lineOf(waiter.turn)
      if (line?.delete(waiter) !== true) return
      total--
      if (line.size === 0) lanes.get(lane)?.delete(whose)
      if (lanes.get(lane)?.size === 0) lanes.delete(lane)
    }
  }
}
