import * as Readable from "#layers/postgres/statements/Readable.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Clock, Effect, Metric, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** The key of a row, which can be read even if nothing else of it can. */
const Named = Schema.Struct({ scope: Schema.Int, id: Schema.String })
type Named = typeof Named.Type

const detail = (what: string): string => `Quarantined: the stored ${what} does not decode`

/** Statuses that say what became of a message already (P6): of these only the work ends. */
const barred = Lifecycle.barred(["Undeliver"]).map((status) => `'${status}'`).join(", ")

/**
 * No epoch is checked: whoever owns the shard, no node of this version can run the row. A row that was closed meanwhile
 * stays as it is. Rows are locked in the order of their ids, as steps lock them.
 */
const closing = {
  message: `
  with closed as (
    update messages m set due_at = null,
      status = case when x.ends then 'UNDELIVERABLE' else m.status end,
      reason = case when x.ends then 'FAILED' else m.reason end,
      error = case when x.ends then $3 else m.error end
    from (select m.scope, m.id, m.status not in (${barred}) as ends
      from unnest($1::int[], $2::text[]) as x(scope, id)
      join messages m on m.scope = x.scope and m.id = x.id and m.id between $5 and $6 and m.due_at is not null
      order by m.id for update of m) x
    where m.scope = x.scope and m.id = x.id and m.id between $5 and $6
    returning m.scope, m.id, m.status, x.ends),
  w as (${Told.messages("select scope, id, status, $4::bigint as at, $4::bigint as stored_at from closed where ends")}),
  h as (insert into history (scope, message_id, at, step, events) select scope, id, $4, 'unreadable', json_build_array(json_build_object(
    'type', 'UNDELIVERABLE', 'ts', $4::bigint, 'reason', 'FAILED', 'error', $3::text))::text from closed where ends
    on conflict do nothing)
  select (select count(*) from closed where ends)::int as ended, ${Told.wake}`,
  expansion: `
  update expansions e set state = 'FAILED', error = $3, due_at = null, ended_at = $4
  from (select e.scope, e.id from unnest($1::int[], $2::text[]) as x(scope, id)
    join expansions e on e.scope = x.scope and e.id = x.id and e.due_at is not null order by e.id for update of e) x
  where e.scope = x.scope and e.id = x.id`
} as const

const counters = { message: Metrics.quarantined, expansion: Metrics.expansionsQuarantined } as const

const settled = Metrics.settled({ status: "UNDELIVERABLE" })
const decodeEnded = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ ended: Schema.Int })))

/**
 * Ends rows that this version cannot read, so that they do not hold up their neighbours: a message as UNDELIVERABLE
 * with the reason FAILED, unless its status says more already, an expansion as FAILED. Each is counted and logged.
 */
export const setAside = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, what: keyof typeof closing, rows: ReadonlyArray<Named>) {
    if (rows.length === 0) return
    const at = yield* Clock.currentTimeMillis
    const ids = rows.map(({ id }) => id).toSorted()
    const keys = [rows.map(({ scope }) => scope), rows.map(({ id }) => id)]
    // Messages have days, of which no others are opened.
    const bounds = what === "message" ? [ids[0], ids.at(-1)] : []
    const answer = yield* sql.unsafe(closing[what], [...keys, detail(what), at, ...bounds]).pipe(
      Effect.flatMap(decodeEnded)
    )
    yield* Metric.update(counters[what], rows.length)
    for (const { ended } of answer) yield* Metric.update(settled, ended)
    yield* Effect.forEach(
      rows,
      ({ id }) => Effect.logError(`a stored ${what} was quarantined: it does not decode`, { id }),
      { discard: true }
    )
  }
)

/** Separates the rows that decode from the keys of those that do not. */
export const sorted = <A>(schema: Schema.Codec<A, unknown>) => {
  const read = Readable.sorted(schema)
  const name = Schema.decodeUnknownSync(Named)
  return (rows: ReadonlyArray<unknown>): { readonly good: ReadonlyArray<A>; readonly bad: ReadonlyArray<Named> } => {
    const { bad, good } = read(rows)
    return { good, bad: bad.map((row) => name(row)) }
  }
}
