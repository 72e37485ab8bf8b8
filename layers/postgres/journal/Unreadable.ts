import * as Metrics from "#src/reports/Metrics.ts"
import { Clock, Effect, Metric, Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** What names a row, whatever else in it cannot be read. */
const Named = Schema.Struct({ scope: Schema.Int, id: Schema.String })
type Named = typeof Named.Type

const detail = "Quarantined: the stored message does not decode"

/** No epoch: whoever owns the shard, nobody of this version can run it. A row that was closed meanwhile stays as it is. */
const statement = `
  with closed as (
    update messages m set status = 'UNDELIVERABLE', reason = 'FAILED', error = $3, due_at = null
    from unnest($1::int[], $2::text[]) as x(scope, id)
    where m.scope = x.scope and m.id = x.id and m.due_at is not null
    returning m.scope, m.id)
  insert into history (scope, message_id, at, step, events) select scope, id, $4, 'unreadable', $5 from closed
  on conflict do nothing`

/** Ends messages that this version cannot read: each UNDELIVERABLE and FAILED, in the log, and out of its neighbours' way. */
export const setAside = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, rows: ReadonlyArray<Named>) {
  if (rows.length === 0) return
  const at = yield* Clock.currentTimeMillis
  const event = [{ type: "UNDELIVERABLE", ts: at, reason: "FAILED", error: detail }]
  yield* sql.unsafe(statement, [
    rows.map(({ scope }) => scope),
    rows.map(({ id }) => id),
    detail,
    at,
    JSON.stringify(event)
  ])
  yield* Metric.update(Metrics.quarantined, rows.length)
  yield* Effect.forEach(rows, ({ id }) => Effect.logError("quarantined: it does not decode", { messageId: id }), {
    discard: true
  })
})

/** Rows apart: those that decode, and the names of those that do not. One look at all of them when nothing is wrong. */
export const sorted = <A>(schema: Schema.Codec<A, unknown>) => {
  const all = Schema.decodeUnknownResult(Schema.Array(schema))
  const one = Schema.decodeUnknownResult(schema)
  const name = Schema.decodeUnknownSync(Named)
  return (rows: ReadonlyArray<unknown>): { readonly good: ReadonlyArray<A>; readonly bad: ReadonlyArray<Named> } => {
    const whole = all(rows)
    if (Result.isSuccess(whole)) return { good: whole.success, bad: [] }
    const results = rows.map((row) => [row, one(row)] as const)
    return {
      good: results.flatMap(([, result]) => Result.isSuccess(result) ? [result.success] : []),
      bad: results.flatMap(([row, result]) => Result.isSuccess(result) ? [] : [name(row)])
    }
  }
}
