import * as Runners from "#layers/postgres/Runners.ts"
import { HistoryEvent } from "#schemas/History.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The database belongs to nodes that run, and what is open in it to them. */
export class NodesRun extends Schema.TaggedError<NodesRun>()("NodesRun", { addresses: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `a node runs on this database (${this.addresses.join(", ")}); stop it first`
  }
}

/** In ms: a node that was not heard of for longer runs no more. */
const silence = 20_000

const decodeNodes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ address: Schema.String })))
const decodeNumber = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ number: Schema.Int })]))
const encodeEvents = Schema.encodeEffect(Schema.fromJsonString(Schema.Array(HistoryEvent)))

const areStopped = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, now: number) {
  if ((yield* sql`select 1 where to_regclass(${Runners.table}) is not null`).length === 0) return
  const rows = yield* sql`select address from ${sql(Runners.table)}
    where ${sql.literal(Runners.heardAt)} > ${now - silence} order by address`
  const addresses = (yield* decodeNodes(rows)).map(({ address }) => address)
  if (addresses.length > 0) return yield* new NodesRun({ addresses })
})

/**
 * Ends all that is open, in one transaction: messages that nobody is known to have taken are canceled, those that were
 * taken stay as they are and go on to no other channel, and requests to many are set aside. Answers how many of each.
 */
export const endOpen = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const events = yield* encodeEvents([{ type: "CANCELED", ts: now }])
  yield* areStopped(sql, now)
  return yield* sql.withTransaction(Effect.gen(function*() {
    const [canceled] = yield* decodeNumber(
      yield* sql`with canceled as (
          update messages set status = 'CANCELED', canceled_at = ${now}::bigint, due_at = null
          where due_at is not null and status = any(${Lifecycle.sources(["Cancel"])}::text[]) returning scope, id),
        told as (insert into history (scope, message_id, at, step, events)
          select scope, id, ${now}::bigint, 'Cancel', ${events} from canceled returning 1)
        select count(*)::int as number from told`
    )
    const [left] = yield* decodeNumber(
      yield* sql`with taken as (update messages set due_at = null where due_at is not null returning 1)
        select count(*)::int as number from taken`
    )
    const [requests] = yield* decodeNumber(
      yield* sql`with ended as (update expansions set state = 'FAILED', error = 'Ended by tidings end-open', due_at = null,
          ended_at = ${now}::bigint where due_at is not null returning 1)
        select count(*)::int as number from ended`
    )
    return { canceled: canceled.number, taken: left.number, requests: requests.number }
  }))
})
