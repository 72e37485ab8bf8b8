import type { Ownership } from "#src/delivery/Journal.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** A node that wants a shard. `at` in epoch ms. */
export interface Claim {
  readonly shard: number
  readonly node: string
  readonly at: number
}

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ shard: Schema.Int, epoch: Schema.Number, seq: Schema.Number }))
)

const statement = `
  with taken as (
    insert into epochs as e (shard, epoch, node, taken_at)
    select shard, 1, node, at from json_to_recordset($1::json) as x(shard smallint, node text, at bigint) order by shard
    on conflict (shard) do update set epoch = greatest(e.epoch + 1, excluded.taken_at), node = excluded.node, taken_at = excluded.taken_at
    returning shard, epoch)
  select shard, epoch::float8 as epoch, (select case when is_called then last_value else 0 end from message_seq)::float8 as seq from taken`

/**
 * Takes a new epoch for each shard of a batch. It is a time: a database that lost what it did last, as one does that was
 * promoted before it had all, would count to the same number twice, and take what both owners write. A repeat after an
 * unknown commit takes one epoch more; that fences only the epoch whose answer was lost.
 */
export const write = (sql: SqlClient.SqlClient) => {
  const take: (claims: ReadonlyArray<Claim>) => Effect.Effect<ReadonlyArray<Ownership>, SqlError.SqlError> = Effect
    .fnUntraced(function*(claims) {
      // A statement can take a shard only once: a second claim on it goes into another statement, and gets the next
      // epoch.
      const first = claims.filter(({ shard }, n) => claims.findIndex((claim) => claim.shard === shard) === n)
      const again = claims.filter((claim) => !first.includes(claim))
      const rows = yield* Effect.orDie(decode(yield* sql.unsafe(statement, [JSON.stringify(first)])))
      const later = again.length === 0 ? [] : yield* take(again)
      return yield* Effect.orDie(Effect.forEach(claims, (claim) => {
        const taken = first.includes(claim)
          ? rows.find(({ shard }) => shard === claim.shard)
          : later[again.indexOf(claim)]
        return Effect.fromNullishOr(taken)
      }))
    })
  return take
}
