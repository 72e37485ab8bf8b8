import * as Turns from "#src/delivery/shards/Turns.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** Turns that one statement reads at most: each costs a look into every partition. */
export const mostTurns = 32

/** What a look found in one lane. */
export interface Read {
  /** As the database gives them. */
  readonly rows: ReadonlyArray<unknown>
  /** Nothing due was left out by the limit or the bytes. */
  readonly complete: boolean
  /** The last turn that was looked at, if there are turns behind it. */
  readonly upTo: string | undefined
}

const decodeTurns = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ turn: Schema.String })))

/** The turns that a statement answers, at most `mostTurns`. `last`: the turn behind which there may be more, if any. */
export const next = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, statement: string, params: ReadonlyArray<unknown>) {
    const found = yield* Effect.flatMap(sql.unsafe(statement, params), decodeTurns)
    const turns = found.map(({ turn }) => turn)
    return { turns, last: turns.length < mostTurns ? undefined : turns.at(-1) }
  },
  Effect.catchTag("SchemaError", Effect.die)
)

/**
 * Reads up to `limit` rows of these turns, an equal share of each. What some leave of their share goes to those that
 * have more. `short`: turns that may still have more in the end.
 */
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
