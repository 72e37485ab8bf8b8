import * as Filters from "#layers/postgres/messagelog/Filters.ts"
import * as Records from "#layers/postgres/messagelog/Records.ts"
import * as Requests from "#layers/postgres/messagelog/Requests.ts"
import * as Search from "#layers/postgres/messagelog/Search.ts"
import * as Shared from "#layers/postgres/journal/Instructions.ts"
import * as Timelines from "#layers/postgres/messagelog/Timelines.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { Attempt } from "#schemas/Attempt.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { KeyState, type Scope } from "#schemas/Scope.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { MessageNotFound } from "#src/delivery/Journal.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as Pages from "#src/paging/Pages.ts"
import { MessageLog, RequestNotFound } from "#src/reports/MessageLog.ts"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decodeAttempts = Schema.decodeUnknownEffect(Schema.Array(Attempt))
const readRecords = Readable.sorted(Records.Row)
const named = Schema.decodeUnknownOption(Schema.Struct({ id: MessageId }))
const Call = Schema.Struct({ messageId: MessageId, ...Attempt.fields })
const attemptColumns = `number, channel, provider, state, kind, started_at::float8 as "startedAt",
  ended_at::float8 as "endedAt", retry_after::float8 as "retryAfter", reference, error`
const decodeOriginal = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  keyState: KeyState,
  recipient: Schema.fromJsonString(Recipient),
  instructions: Schema.fromJsonString(Instructions)
})))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const records = Records.of(sql)
  const readable = Readable.listed("attempt", Call)
  const search = Search.make(sql, records)

  const only = <A>(rows: ReadonlyArray<A>, id: MessageId): Effect.Effect<A, MessageNotFound> =>
    Option.match(Array.head(rows), { onNone: () => new MessageNotFound({ id }), onSome: Effect.succeed })

  const get = Effect.fn("MessageLog.get")(function*(scope: Scope, id: MessageId) {
    const rows = yield* sql`select ${sql.literal(Records.columns)} from messages m
      where m.scope = ${scope} and m.id = ${id}`
    return yield* only(yield* records(scope, yield* Records.decode(rows)), id)
  }, orUnavailable)

  const list: MessageLog["Service"]["list"] = Effect.fn("MessageLog.list")(function*(scope, query) {
    const sealed = Filters.list(scope, query)
    const before = yield* Pages.after(cursors, sealed, query.cursor)
    const { reached, rows } = yield* search(scope, query, before?.id, query.limit + 1)
    const page = Pages.cut({
      cursors,
      list: sealed,
      rows,
      limit: query.limit,
      position: ({ enqueued, id }) => ({ at: enqueued, id })
    })
    return reached === undefined ? page : { ...page, cursor: cursors.seal(sealed, { at: 0, id: reached }) }
  }, orUnavailable)

  const attempts = Effect.fn("MessageLog.attempts")(function*(scope: Scope, id: MessageId) {
    return yield* sql`select ${sql.literal(attemptColumns)} from attempts
      where scope = ${scope} and message_id = ${id} order by number`.pipe(Effect.flatMap(decodeAttempts))
  }, orUnavailable)

  /** The bounds let the planner skip the partitions of other days. Calls that do not decode are left out. */
  const snapshots = Effect.fn("MessageLog.snapshots")(function*(scope: Scope, ids: ReadonlyArray<MessageId>) {
    if (ids.length === 0) return { snapshots: [], unreadable: [] }
    const sorted = ids.toSorted()
    const bounds = [scope, sorted, sorted[0], sorted.at(-1)]
    const rows = yield* sql.unsafe(
      `select ${Records.columns} from messages m where m.scope = $1 and m.id = any($2::text[]) and m.id between $3 and $4`,
      bounds
    )
    const calls = yield* sql.unsafe(
      `select message_id as "messageId", ${attemptColumns} from attempts
        where scope = $1 and message_id = any($2::text[]) and message_id between $3 and $4 order by message_id, number`,
      bounds
    ).pipe(Effect.flatMap(readable))
    const callsOf = Map.groupBy(calls, ({ messageId }) => messageId)
    const { bad, good } = readRecords(rows)
    return {
      snapshots: (yield* records(scope, good)).map((record) => ({
        record,
        attempts: (callsOf.get(record.id) ?? []).map(({ messageId: _, ...attempt }): Attempt => attempt)
      })),
      unreadable: Array.getSomes(bad.map((row) => Option.map(named(row), ({ id }) => id)))
    }
  }, orUnavailable)

  const original = Effect.fn("MessageLog.original")(function*(scope: Scope, id: MessageId) {
    const rows = yield* sql`select key_state as "keyState", recipient, ${
      sql.literal(Shared.of("m"))
    } as instructions from messages m where scope = ${scope} and id = ${id}`.pipe(Effect.flatMap(decodeOriginal))
    return yield* only(rows, id)
  }, orUnavailable)

  /**
   * Archives a request. An expansion is archived as one row, since it may have any number of messages, and more to
   * come. Messages are locked in the order of their ids.
   */
  const archive = Effect.fn("MessageLog.archive")(function*(scope: Scope, requestId: MessageId) {
    const rows = yield* sql`with expansion as (
        update expansions set archived = true where scope = ${scope} and id = ${requestId} returning 1 as found),
      mine as (
        select id from messages where scope = ${scope} and id = ${requestId} and request_id = ${requestId}
        union all
        select id from messages m where scope = ${scope} and ${Filters.ofRequest(sql, requestId)}
          and not exists (select from expansion)),
      locked as materialized (select m.id from mine join messages m on m.scope = ${scope} and m.id = mine.id
        and ${Filters.besides(sql, requestId)} order by m.id for update of m),
      m as (update messages m set archived = true from locked as mine
        where m.scope = ${scope} and m.id = mine.id and ${Filters.besides(sql, requestId)} returning 1 as found)
      select found from expansion union all select found from m`
    if (rows.length === 0) return yield* new RequestNotFound({ id: requestId })
  }, orUnavailable)

  const history = Effect.fn("MessageLog.history")(Timelines.read(sql), orUnavailable)

  const requests = Requests.list(sql, cursors)

  return MessageLog.of({ get, list, attempts, snapshots, history, original, requests, archive })
})

/** The message log on Postgres. */
export const layer = Layer.effect(MessageLog, make)
