import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { LimitWindow } from "#src/flows/LimitWindow.ts"
import type { LimitName } from "#src/flows/SendLimits.ts"
import { Context, type Effect } from "effect"

/** What is counted together: `subject` tells one recipient, topic or tenant from another, in at most 64 characters. */
export interface CountName extends LimitName, LimitWindow {
  readonly subject: string
}

/** A count that a message adds to, and how many it may come to; `undefined`: any number. */
export interface Count extends CountName {
  readonly most: number | undefined
}

/** A message that is to be counted. */
export interface Counted {
  readonly scope: Scope
  readonly messageId: MessageId
  readonly counts: ReadonlyArray<Count>
}

/** A count is kept so long after its period, in ms: who has read the clock before its end may take it a while later. */
const grace = 60_000

/** Until when a count is kept, in epoch ms. */
export const keptUntil = ({ until }: LimitWindow): number => until + grace

/** One text for each count of all environments. */
export const nameOf = (scope: Scope, { from, per, period, subject }: CountName): string =>
  `${scope} ${per} ${period} ${from} ${subject}`

/** What became of a message that was to be counted: it may be sent, one of its counts may come no further, or it is not stored. */
export type Taken =
  | { readonly _tag: "Counted" }
  | { readonly _tag: "Reached"; readonly count: Count }
  | { readonly _tag: "Absent" }

/**
 * Counts one message into `used`, which holds how far each count is, under its name; or, if one of its counts may come no
 * further, answers that and counts nothing.
 */
export const count = (used: Map<string, number>, { counts, scope }: Counted): Taken => {
  const usedOf = (one: Count): number => used.get(nameOf(scope, one)) ?? 0
  const reached = counts.find((one) => one.most !== undefined && usedOf(one) >= one.most)
  if (reached !== undefined) return { _tag: "Reached", count: reached }
  for (const one of counts) used.set(nameOf(scope, one), usedOf(one) + 1)
  return { _tag: "Counted" }
}

/** How many messages were sent, by what the limits count. */
export class SendCounts extends Context.Service<SendCounts, {
  /**
   * Counts a stored message in all of these at once or, if one may come no further, in none. One that was counted before
   * is not counted again, and may be sent whatever the counts are. Batched: calls of one turn of the event loop share a
   * transaction.
   */
  readonly take: (counted: Counted) => Effect.Effect<Taken, StoreUnavailable>
  /** How far these are. */
  readonly used: (
    scope: Scope,
    counts: ReadonlyArray<CountName>
  ) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
  /** Deletes up to `limit` whose period was over a minute ago; answers how many. */
  readonly sweep: (limit: number) => Effect.Effect<number, StoreUnavailable>
}>()("tidings/SendCounts") {}
