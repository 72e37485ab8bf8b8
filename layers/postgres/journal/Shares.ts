import * as Turns from "#src/delivery/Turns.ts"
import { Effect } from "effect"

/** Reads so many rows of these turns, each its share; what some leave of theirs goes to those that have more, which are `short` in the end. */
export const out = Effect.fnUntraced(function*<A extends { readonly turn: string }, E>(
  limit: number,
  turns: ReadonlyArray<string>,
  read: (turns: ReadonlyArray<string>, share: number, taken: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<A>, E>
): Effect.fn.Return<{ readonly places: Array<A>; readonly short: ReadonlyArray<string> }, E> {
  const places: Array<A> = []
  let short = turns
  for (let room = limit; room > 0 && short.length > 0; room = limit - places.length) {
    const share = Turns.share(room, short)
    const found = yield* read(short, share, places)
    places.push(...found)
    short = Turns.atShare(found, share)
  }
  return { places, short }
})
