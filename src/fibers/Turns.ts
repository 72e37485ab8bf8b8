import { type Entry, InFlight } from "#src/fibers/InFlight.ts"
import { Effect } from "effect"

/** Whose work it is: the lanes take turns, and within a lane those whose it is. Of lanes there are a few. */
export interface Turn {
  readonly lane: string
  readonly whose: string
}

/** Lets so many work at once, and the others wait for their turn. */
export interface Turns {
  /** Works once its turn has come. */
  readonly inTurn: (turn: Turn) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Works if it need not wait, or else does something else. Cheap: no turn is known, and none is needed. */
  readonly ifAvailable: <A, E, R>(
    work: () => Effect.Effect<A, E, R>,
    orElse: () => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** How many more may begin to work now. */
  readonly available: Effect.Effect<number>
}

interface Waiting {
  readonly turn: Turn
  readonly go: () => void
}

/** Those of one lane that have the same name, in the order in which they came. */
interface Line {
  readonly whose: string
  readonly waiting: InFlight<Waiting>
}

/** The lines of a lane, by turns: one that is new or was just served is last, and an empty one is forgotten. */
class Lane {
  /** When it was last served, as a number that grows. */
  served = 0
  private readonly lines = new Map<string, Entry<Line>>()
  private readonly order = new InFlight<Line>()

  get next(): Entry<Waiting> | undefined {
    return this.order.oldest?.value.waiting.oldest
  }

  add(waiting: Waiting): Entry<Waiting> {
    const { whose } = waiting.turn
    const line = this.lines.get(whose) ?? this.putLast({ whose, waiting: new InFlight() })
    return line.value.waiting.add(waiting)
  }

  delete(entry: Entry<Waiting>, wasServed: boolean): void {
    const line = this.lines.get(entry.value.turn.whose)
    if (line === undefined) return
    const { waiting, whose } = line.value
    waiting.delete(entry)
    const isEmpty = waiting.oldest === undefined
    if (isEmpty || wasServed) this.order.delete(line)
    if (isEmpty) this.lines.delete(whose)
    else if (wasServed) this.putLast(line.value)
  }

  private putLast(line: Line): Entry<Line> {
    const entry = this.order.add(line)
    this.lines.set(line.whose, entry)
    return entry
  }
}

/**
 * Lets so many work at once. First the lanes that wait take turns, then within each lane those whose work it is: one
 * waits behind one of each other lane, and of each other of its own lane, at most. Not so in a `PartitionedSemaphore`:
 * there a key that comes anew whenever it was served is served again and again, and no other.
 */
export const make = (atOnce: number): Turns => {
  const lanes = new Map<string, Lane>()
  let served = 0
  let waiting = 0
  // More than 0 only while nobody waits.
  let free = atOnce

  const laneOf = ({ lane }: Turn): Lane => {
    const known = lanes.get(lane)
    if (known !== undefined) return known
    const made = new Lane()
    lanes.set(lane, made)
    return made
  }

  /** Who is next of the lane that was served longest ago. */
  const next = (): Entry<Waiting> | undefined => {
    let first: Lane | undefined
    for (const lane of lanes.values()) {
      if (lane.next !== undefined && (first === undefined || lane.served < first.served)) first = lane
    }
    return first?.next
  }

  const leave = (entry: Entry<Waiting>, wasServed: boolean): void => {
    waiting--
    const lane = laneOf(entry.value.turn)
    lane.delete(entry, wasServed)
    if (wasServed) lane.served = ++served
  }

  const release = (): void => {
    const entry = waiting === 0 ? undefined : next()
    if (entry === undefined) {
      free++
      return
    }
    leave(entry, true)
    entry.value.go()
  }

  return {
    inTurn: (turn) => (work) =>
      Effect.suspend(() => {
        let works = false
        let entry: Entry<Waiting> | undefined
        const come = Effect.callback<void>((resume) => {
          if (free > 0) {
            free--
            works = true
            laneOf(turn).served = ++served
            return resume(Effect.void)
          }
          const go = () => {
            works = true
            // Else it would run within whoever leaves, and the next within it, as deep as many wait.
            resume(Effect.yieldNow)
          }
          waiting++
          entry = laneOf(turn).add({ turn, go })
        })
        return Effect.onExit(Effect.andThen(come, work), () => {
          if (works) release()
          else if (entry !== undefined) leave(entry, false)
          return Effect.void
        })
      }),
    ifAvailable: (work, orElse) =>
      Effect.suspend(() => {
        let works = false
        const come = Effect.suspend(() => {
          if (free === 0) return orElse()
          free--
          works = true
          return work()
        })
        return Effect.onExit(come, () => {
          if (works) release()
          return Effect.void
        })
      }),
    available: Effect.sync(() => free)
  }
}
