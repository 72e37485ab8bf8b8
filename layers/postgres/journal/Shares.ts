import * as Turns from "#src/delivery/shards/Turns.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** Turns that one statement reads: with each it looks into every partition. */
export const mostTurns = 32

/** What a lane's look found. Rows are as the database gives them; `upTo`: the last turn that was looked at, if there are turns behind it. */
export interface Read {
  readonly rows: ReadonlyArray<unknown>
  readonly complete: boolean
  readonly upTo: string | undefined
}

const decodeTurns = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ turn: Schema.String })))

/** The next turns by a statement that answers at most `mostTurns` of them; `last`: behind which there may be more. */
export const next = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, statement: string, params: ReadonlyArray<unknown>) {
    const found = yield* Effect.flatMap(sql.unsafe(statement, params), decodeTurns)
    const turns = found.map(({ turn }) => turn)
    return { turns, last: turns.length < mostTurns ? undefined : turns.at(-1) }
  },
  Effect.catchTag("SchemaError", Effect.die)
)

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
