import * as OpenDays from "#layers/postgres/days/OpenDays.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as Runners from "#layers/postgres/Runners.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import { HistoryEvent } from "#schemas/History.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Is told that these nodes may still run, which is known after so many ms at most. */
type Waiting = (addresses: ReadonlyArray<string>, longest: number) => Effect.Effect<void>

/** The database belongs to nodes that run, and what is open in it to them. */
export class NodesRun extends Schema.TaggedError<NodesRun>()("NodesRun", { addresses: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `a node runs on this database (${this.addresses.join(", ")}); stop it first`
  }
}

/** In ms: a node that was not heard of for longer runs no more. One that runs is heard of every two seconds. */
const silence = 20_000
const listened = 500

const decodeNodes = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ address: Schema.String, heardAt: Schema.Number }))
)
const decodeNumber = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ number: Schema.Int })]))
const encodeEvents = Schema.encodeEffect(Schema.fromJsonString(Schema.Array(HistoryEvent)))

/** The nodes that were heard of lately, and when: epoch ms. */
const heard = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const now = yield* Clock.currentTimeMillis
  return yield* decodeNodes(
    yield* sql`select address, at::float8 as "heardAt"
      from (select address, ${sql.literal(Runners.heardAt)} as at from ${sql(Runners.table)}) node
      where at > ${now - silence} order by address`
  )
})

/** Fails if a node runs. One that was heard of lately may have died since: then it is waited for its next word. */
const areStopped = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, waiting: Waiting) {
  if ((yield* sql`select 1 where to_regclass(${Runners.table}) is not null`).length === 0) return
  let nodes = yield* heard(sql)
  if (nodes.length === 0) return
  const before = new Map(nodes.map(({ address, heardAt }) => [address, heardAt]))
  yield* waiting([...before.keys()], silence)
  // Not longer, also where the clock was set back since.
  for (let waited = 0; nodes.length > 0 && waited < silence; waited += listened) {
    yield* Effect.sleep(listened)
    nodes = yield* heard(sql)
    const running = nodes.filter(({ address, heardAt }) => heardAt > (before.get(address) ?? -Infinity))
    if (running.length > 0) return yield* new NodesRun({ addresses: running.map(({ address }) => address) })
  }
})

/** Brings what a backup restored to this version's schema, before whose first start this is to run. */
const upgraded = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  if ((yield* sql`select 1 where to_regclass('migrations') is not null`).length === 0) return
  yield* Migrations.upgrade
})

/**
 * Ends all that is open, in one transaction: messages that nobody is known to have taken are canceled, those that were
 * taken stay as they are and go on to no other channel, and requests to many are set aside. Answers how many of each.
 */
export const endOpen = Effect.fnUntraced(function*(waiting: Waiting) {
  const sql = yield* SqlClient.SqlClient
  yield* areStopped(sql, waiting)
  yield* upgraded(sql)
  // Of several years, the database has not room for the locks of all days at once.
  const days = OpenDays.make(sql)
  yield* days.refresh
  const since = days.since()
  const now = yield* Clock.currentTimeMillis
  const events = yield* encodeEvents([{ type: "CANCELED", ts: now }])
  return yield* sql.withTransaction(Effect.gen(function*() {
    const [canceled] = yield* decodeNumber(
      yield* sql`with canceled as (
          update messages set status = 'CANCELED', canceled_at = ${now}::bigint, due_at = null
          where id >= ${since} and due_at is not null and status = any(${
        Lifecycle.sources(["Cancel"])
      }::text[]) returning scope, id, status),
        w as (${
        sql.literal(Told.messages(`select scope, id, status, ${now} as at, ${now} as stored_at from canceled`))
      }),
        told as (insert into history (scope, message_id, at, step, events)
          select scope, id, ${now}::bigint, 'Cancel', ${events} from canceled returning 1)
        select count(*)::int as number from told`
    )
    const [left] = yield* decodeNumber(
      yield* sql`with taken as (update messages set due_at = null where id >= ${since} and due_at is not null returning 1)
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
