import type { OpenExpansion } from "#src/delivery/Expansion.ts"
import { Clock, Effect } from "effect"

/**
 * In ms, how long a request waits for room: so long for each request that waits for the same turns. So one of them
 * comes in each such time, however many there are, but each at least every ten.
 */
const pause = 1_000
const mostPauses = 10

/** In ms: a request that has not come again for so long after its wait is no longer this node's. */
const forgotten = 60_000

type Row = Pick<OpenExpansion, "id" | "place" | "scope">

const keyOf = ({ id, scope }: Row): string => `${scope}:${id}`

/**
 * The requests whose next page found its turns full. Whose turns those are is known once the page was made; it is kept,
 * so that the page is not made again each time only to be thrown away.
 */
export const make = () => {
  const waiting = new Map<
    string,
    { readonly place: string; readonly turns: ReadonlySet<string>; readonly until: number }
  >()

  return {
    /** The turns for which the request's next page waits, if it does. */
    turnsOf: (row: Row): ReadonlySet<string> | undefined => {
      const found = waiting.get(keyOf(row))
      return found?.place === row.place ? found.turns : undefined
    },
    /** The request waits for these turns; answers for how long, in ms. */
    add: Effect.fnUntraced(function*(row: Row, turns: ReadonlySet<string>) {
      const now = yield* Clock.currentTimeMillis
      waiting.delete(keyOf(row))
      let pauses = 1
      for (const [key, other] of waiting) {
        if (other.until < now - forgotten) waiting.delete(key)
        else if (pauses < mostPauses && !other.turns.isDisjointFrom(turns)) pauses++
      }
      const wait = pause * pauses
      waiting.set(keyOf(row), { place: row.place, turns, until: now + wait })
      return wait
    }),
    /** The request's next page has room. */
    over: (row: Row): void => {
      waiting.delete(keyOf(row))
    }
  }
}
