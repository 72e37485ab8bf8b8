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
 * So many messages of a page are begun at most: a third of what one tenant may have in hand (`capacities` in `Shards`).
 * While one page is stored, and what became of another, a third is made; halves would wait for each other.
 */
export const mostOpenings = 340

/**
 * Bulk messages of a page's turns that may be ready and unsent before the page waits: enough to keep the owners busy,
 * few enough that turns count.
 */
const mostReady = 10_000

/** Pages of rows that each turn may get after one look at its backlog. */
const trustedPages = 4

/** Turns whose looks are remembered; when there are more, all are looked at anew. */
const mostTrusted = 1_000

/**
 * What there is room for. Each turn has its own: the backlog of one holds up nobody else, and no turn fills the store,
 * since its own requests wait for it. So all turns together are bounded by how many of them are sent to.
 */
export const make = ({ expansions, reader }: {
  readonly expansions: Pick<Expansions["Service"], "isBacklogged">
  readonly reader: Pick<Reader, "openings">
}) => {
  const trusted = new Map<string, number>()

  const trust = (turn: string, pages: number) => {
    if (pages > 0) trusted.set(turn, pages)
    else trusted.delete(turn)
  }

  return {
    /**
     * How many messages of the next page may begin before they are stored, if the page is of these turns; 0: it is
     * stored as rows. `inVain`: it was waited for, and there was no room all the same.
     */
    openings: Effect.fnUntraced(function*(owner: Owner, turns: ReadonlySet<string>) {
      const least = Math.min(leastOpenings, yield* Paging.PageSize)
      for (let asked = 0; asked < openingQuestions && !isDraining(owner); asked++) {
        const open = reader.openings(turns)
        if (open === undefined) return { open: 0, inVain: false }
        if (open >= least) return { open: Math.min(open, mostOpenings), inVain: false }
        yield* Effect.sleep(openingInterval)
      }
      return { open: 0, inVain: true }
    }),
    /** Whether a page of rows of these turns may be written now. */
    isRoomy: Effect.fnUntraced(function*(turns: ReadonlySet<string>) {
      const left = new Map([...turns].map((turn) => [turn, trusted.get(turn) ?? 0]))
      const isTrusted = [...left.values()].every((pages) => pages > 0)
      const isRoomy = isTrusted || !(yield* expansions.isBacklogged(mostReady, [...turns]))
      if (trusted.size > mostTrusted) trusted.clear()
      for (const [turn, pages] of left) trust(turn, isTrusted ? pages - 1 : isRoomy ? trustedPages : 0)
      return isRoomy
    })
  }
}
