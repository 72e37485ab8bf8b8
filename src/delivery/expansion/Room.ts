import type { Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as Paging from "#src/delivery/expansion/Paging.ts"
import { isDraining, type Owner } from "#src/delivery/shards/Owned.ts"
import type { Reader } from "#src/delivery/shards/Reader.ts"
import { Effect } from "effect"

/**
 * The messages of a page are begun before it is stored if at least so many of them can begin. If fewer can, the
 * expansion asks again in a moment, since room comes back and what is unread is read soon. Having asked so often in
 * vain, it makes a page of rows.
 */
const leastOpenings = 170
const openingInterval = "5 millis"
const openingQuestions = 100

/**
 * Bulk messages that may be ready and unsent before expansions wait: enough to keep the owners busy, few enough that
 * turns count.
 */
const mostReady = 10_000

/** Pages of rows that may be made after one look at that backlog. */
const trustedPages = 4

/**
 * A waiting expansion asks this often, and after so many times makes a page all the same: somebody's backlog must not
 * stop everybody.
 */
const roomInterval = "200 millis"
const roomQuestions = 25

/** What there is room for. */
export interface Room {
  /** How many messages of the next page may begin before they are stored; 0: the page is stored as rows. */
  readonly open: number
  /** Whether there was room at once. */
  readonly isRoomy: boolean
}

/**
 * Waits until the next page of an expansion may be made; `turns` are those of its messages, as far as they are known.
 */
export const make = ({ expansions, reader }: {
  readonly expansions: Expansions["Service"]
  readonly reader: Pick<Reader, "openings">
}) => {
  let trusted = 0

  const openings = Effect.fnUntraced(function*(owner: Owner, turns: ReadonlySet<string>) {
    const least = Math.min(leastOpenings, yield* Paging.PageSize)
    for (let asked = 0; asked < openingQuestions && !isDraining(owner); asked++) {
      const open = reader.openings(turns)
      if (open === undefined) return 0
      if (open >= least) return open
      yield* Effect.sleep(openingInterval)
    }
    return 0
  })

  const isRoomy = Effect.fnUntraced(function*(owner: Owner) {
    if (trusted-- > 0) return true
    for (let asked = 0; asked < roomQuestions && !isDraining(owner); asked++) {
      if (!(yield* expansions.isBacklogged(mostReady))) {
        trusted = trustedPages
        return asked === 0
      }
      yield* Effect.sleep(roomInterval)
    }
    return false
  })

  return Effect.fnUntraced(function*(owner: Owner, turns: ReadonlySet<string>) {
    const open = yield* openings(owner, turns)
    return { open, isRoomy: open > 0 || (yield* isRoomy(owner)) } satisfies Room
  })
}
