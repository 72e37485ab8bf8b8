import * as InPieces from "#layers/postgres/statements/InPieces.ts"
import { Looks } from "#layers/postgres/statements/Looks.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { BulkMessage, BulkUser } from "#schemas/Bulk.ts"
import { ExpansionState } from "#schemas/Expansion.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import {
  type Batch,
  JobClosed,
  JobNotFound,
  Jobs,
  type JobUser,
  longestClosing,
  type NewUser
} from "#src/delivery/bulk/Jobs.ts"
import { Place } from "#src/delivery/Expansion.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as Pages from "#src/paging/Pages.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"

const Definition = Schema.fromJsonString(BulkMessage)
const User = Schema.fromJsonString(BulkUser)
const encodeDefinition = Schema.encodeEffect(Definition)
const encodeUser = Schema.encodeSync(User)

const decodeStanding = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ received: Schema.Number, requestId: Schema.NullOr(MessageId) }))
)
const decodeClosed = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ requestId: MessageId })))
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String })))
const decodeJobs = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  id: Schema.String,
  definition: Definition,
  received: Schema.Number,
  failures: Schema.Number,
  requestId: Schema.NullOr(MessageId),
  state: Schema.NullOr(ExpansionState),
  messages: Schema.NullOr(Schema.Number),
  place: Schema.NullOr(Schema.fromJsonString(Place))
})))
const UserRow = Schema.Struct({
  position: Schema.Number,
  key: Schema.String,
  user: User,
  error: Schema.NullOr(Schema.String)
})
const decodeUsers = Schema.decodeUnknownEffect(Schema.Array(UserRow))

const jobUser = ({ error, ...row }: typeof UserRow.Type): JobUser => ({
  ...row,
  error: error ?? undefined
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const listed = Readable.listed("user of a bulk job", UserRow)
  const newId = yield* TypeId.generator("job")
  const looking = yield* Patience.asking(yield* Looks)
  const newRequest = yield* Ids.generator

  const create: Jobs["Service"]["create"] = Effect.fnUntraced(function*(scope, definition) {
    const id = yield* newId
    const now = yield* Clock.currentTimeMillis
    yield* sql`insert into bulk_jobs (scope, id, definition, created_at)
      values (${scope}, ${id}, ${yield* encodeDefinition(definition)}, ${now})`
    return id
  }, orUnavailable)

  /**
   * Inserts those of the users whose keys are new, at positions from `from` on; answers their keys. The key's own index
   * tells which are known, whatever is known of the table: for a lookup of each, the planner took the index of the
   * positions while the table had no statistics, and read all of the job's users for each.
   */
  const inserted = Effect.fnUntraced(
    function*(scope: Scope, id: string, from: number, users: ReadonlyArray<NewUser>) {
      const added = new Set<string>()
      yield* InPieces.run(users, (piece, start) => {
        const rows = piece.map(({ error, key, user }, index) => ({
          position: from + start + index,
          key,
          bulk_user: encodeUser(user),
          error
        }))
        return sql`insert into bulk_users (scope, job_id, position, key, bulk_user, error)
          select ${scope}::int, ${id}, position, key, bulk_user, error from json_to_recordset(${
          JSON.stringify(rows)
        }::json)
            as r(position int, key text, bulk_user text, error text)
          on conflict (scope, job_id, key) do nothing returning key`.pipe(
          Effect.flatMap(decodeKeys),
          Effect.map((keys) => keys.forEach(({ key }) => added.add(key)))
        )
      })
      return added
    }
  )

  // The job's row is locked first: calls that add users wait for each other, and the run that closes it for them.
  const add: Jobs["Service"]["add"] = Effect.fnUntraced(
    function*(scope, id, users) {
      const standing = yield* sql`select received, request_id as "requestId" from bulk_jobs
        where scope = ${scope} and id = ${id} for update`.pipe(Effect.flatMap(decodeStanding), Effect.map(Array.head))
      if (Option.isNone(standing)) return yield* new JobNotFound({ id })
      if (standing.value.requestId !== null) return yield* new JobClosed({ id })
      const { received } = standing.value
      const added = yield* inserted(scope, id, received, users)
      const fresh = users.filter(({ key }) => added.has(key))
      // Positions have no gaps, and so are given anew where some were known.
      if (fresh.length < users.length) {
        yield* sql`delete from bulk_users where scope = ${scope} and job_id = ${id} and position >= ${received}`
        yield* inserted(scope, id, received, fresh)
      }
      const failures = fresh.filter(({ error }) => error !== undefined).length
      yield* sql`update bulk_jobs set received = received + ${fresh.length}, failures = failures + ${failures}
        where scope = ${scope} and id = ${id}`
      return new Set(users.flatMap(({ key }) => added.has(key) ? [] : [key]))
    },
    sql.withTransaction,
    orUnavailable
  )

  const close: Jobs["Service"]["close"] = Effect.fnUntraced(function*(scope, id) {
    const now = yield* Clock.currentTimeMillis
    const request = yield* newRequest(now)
    const closed = yield* sql`update bulk_jobs j set request_id = case
        when request_id >= ${Ids.from(now - longestClosing)}
          or exists (select from expansions x where x.scope = j.scope and x.id = j.request_id) then request_id
        else ${request} end
      where scope = ${scope} and id = ${id} returning request_id as "requestId"`.pipe(
      Effect.flatMap(decodeClosed),
      Effect.map(Array.head)
    )
    return Option.isSome(closed) ? closed.value.requestId : yield* new JobNotFound({ id })
  }, orUnavailable)

  const find: Jobs["Service"]["find"] = Effect.fnUntraced(function*(scope, id) {
    const found = yield* sql`select j.id, j.definition, j.received, j.failures, j.request_id as "requestId",
        x.state, x.created::float8 as messages, x.place
      from bulk_jobs j left join expansions x on x.scope = j.scope and x.id = j.request_id
      where j.scope = ${scope} and j.id = ${id}`.pipe(Effect.flatMap(decodeJobs), Effect.map(Array.head))
    if (Option.isNone(found)) return yield* new JobNotFound({ id })
    const { messages, place, requestId, state, ...job } = found.value
    const isRunning = state !== null && messages !== null && place !== null
    return {
      ...job,
      requestId: requestId ?? undefined,
      running: isRunning ? { state, messages, index: place.index, isNumbered: place.made !== undefined } : undefined
    }
  }, orUnavailable)

  /** A page of users from a position on. */
  const page = <E>(
    scope: Scope,
    id: string,
    from: number,
    limit: number,
    which: Statement.Fragment,
    decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<typeof UserRow.Type>, E>
  ) =>
    PageBytes.read(sql, {
      as: "u",
      columns: sql.literal(`position, key, bulk_user as "user", error`),
      looked: sql`select *, octet_length(bulk_user) as bytes from bulk_users
        where scope = ${scope} and job_id = ${id} and position >= ${from} ${which}`,
      by: { id: "position" },
      limit,
      decode
    })

  const users: Jobs["Service"]["users"] = Effect.fnUntraced(function*(scope, id, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "users of a bulk job", filters: [id] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const from = after === undefined ? 0 : Number(after) + 1
    const { end, rows } = yield* page(scope, id, from, limit, sql``, listed)
    return Pages.upTo(cursors, sealed, rows.map(jobUser), end)
  }, orUnavailable)

  // Left out here, a user would get no message, and the job would say that all have theirs.
  const sendable: Jobs["Service"]["sendable"] = Effect.fnUntraced(
    function*(scope, id, from, limit) {
      const { end, rows } = yield* page(scope, id, from, limit, sql`and error is null`, decodeUsers)
      return { users: rows.map(jobUser), isLast: end === undefined } satisfies Batch
    },
    orUnavailable,
    looking
  )

  return Jobs.of({ create, add, close, find, users, sendable })
})

/** Bulk jobs in Postgres. */
export const layer = Layer.effect(Jobs, make)
