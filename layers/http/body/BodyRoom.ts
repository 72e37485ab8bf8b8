import { type Entry, InFlight } from "#src/fibers/InFlight.ts"
import { type Clock, Context } from "effect"

/** What all claims together may hold, and how long a body may be under way before it gives way to others, in ms. */
export interface Bounds {
  readonly bytes: number
  readonly patience: number
}

/** What one request's body holds of the room; nothing at first. */
export interface Claim {
  /** Whether it may hold `bytes` in all from now on; what it held, it holds in any case until it is told to give way. */
  readonly hold: (bytes: number) => boolean
  /** The body has come whole: it keeps what it holds, and is no longer told to give way. */
  readonly complete: () => void
  /** Gives all back; once, or as often as one likes. */
  readonly release: () => void
}

/** Lets a body in; `giveWay` is called, once at most, when others need what it has held for too long. */
export type Room = (clock: Clock.Clock, giveWay: () => void) => Claim

/** A body that is under way. */
interface Coming {
  readonly since: number
  readonly leave: () => void
}

const millis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

/**
 * A bound on the bytes of bodies that are in memory. Who comes when it is full is refused, unless somebody has been sending for longer than
 * `patience`: then the one who has done so longest gives way, or is refused if it is that one who asks. So those who send slowly, and never come
 * to an end, keep the room from nobody.
 */
export const make = ({ bytes: capacity, patience }: Bounds): Room => {
  const coming = new InFlight<Coming>()
  let taken = 0

  const findRoom = (clock: Clock.Clock, bytes: number, own: Entry<Coming>): boolean => {
    const isFull = () => taken + bytes > capacity
    while (isFull()) {
      const { oldest } = coming
      if (oldest === undefined || oldest === own || millis(clock) - oldest.value.since <= patience) return false
      oldest.value.leave()
    }
    return true
  }

  return (clock, giveWay) => {
    let held = 0
    const complete = () => coming.delete(entry)
    const release = () => {
      complete()
      taken -= held
      held = 0
    }
    const leave = () => {
      release()
      giveWay()
    }
    const entry = coming.add({ since: millis(clock), leave })
    return {
      hold: (bytes) => {
        const more = bytes - held
        if (!findRoom(clock, more, entry)) return false
        taken += more
        held = bytes
        return true
      },
      complete,
      release
    }
  }
}

/**
 * The room of all servers of this process: 128 MB are 21 of the longest bodies, and a caller in the same continent has sent one of those in a
 * second.
 */
export const BodyRoom = Context.Reference<Room>("tidings/http/body/BodyRoom", {
  defaultValue: () => make({ bytes: 128 * 1024 * 1024, patience: 5_000 })
})
