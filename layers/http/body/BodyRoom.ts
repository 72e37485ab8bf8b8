import { type Entry, InFlight } from "#src/fibers/InFlight.ts"
import { type Clock, Context } from "effect"

/**
 * The bytes that all claims together may hold, and how long in ms a body may be coming before it can be cut off for
 * others.
 */
export interface Bounds {
  readonly bytes: number
  readonly patience: number
}

/** The part of the room that one request's body holds; nothing at first. */
export interface Claim {
  /**
   * Asks to hold `bytes` in all from now on. If this is refused, it keeps what it held, until it is told to give way.
   */
  readonly hold: (bytes: number) => boolean
  /** The body has come whole: the claim keeps what it holds, and is no longer told to give way. */
  readonly complete: () => void
  /** Gives everything back. Calling it again does nothing. */
  readonly release: () => void
}

/**
 * Lets a body in. `giveWay` is called, at most once, when its bytes are needed for others and it has been coming for
 * too long.
 */
export type Room = (clock: Clock.Clock, giveWay: () => void) => Claim

/** A body that has not come whole. */
interface Coming {
  readonly since: number
  readonly leave: () => void
}

const millis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

/**
 * A bound on the bytes of bodies that are in memory. A claim that does not fit is refused, unless a body has been
 * coming for longer than `patience`: then the one that has been coming longest is cut off to make room. So a slow
 * sender that never finishes does not keep others out.
 */
export const make = ({ bytes: capacity, patience }: Bounds): Room => {
  const coming = new InFlight<Coming>()
  let taken = 0

  /** Makes room for so many more bytes of a body, which does not cut itself off: the answer is that there is none. */
  const findRoom = (asking: Entry<Coming>, clock: Clock.Clock, bytes: number): boolean => {
    const isFull = () => taken + bytes > capacity
    while (isFull()) {
      const { oldest } = coming
      if (oldest === undefined || oldest === asking || millis(clock) - oldest.value.since <= patience) return false
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
        if (!findRoom(entry, clock, more)) return false
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
 * The room shared by all servers of this process. 128 MB hold 21 bodies of the greatest length, and a caller on the
 * same continent sends one of those in a second.
 */
export const BodyRoom = Context.Reference<Room>("tidings/http/body/BodyRoom", {
  defaultValue: () => make({ bytes: 128 * 1024 * 1024, patience: 5_000 })
})
