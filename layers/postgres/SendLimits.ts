import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type { Scope } from "#schemas/Scope.ts"
import { LimitedBy, LimitPeriod, SendLimit } from "#schemas/SendLimit.ts"
import { type LimitName, SendLimitNotFound, type SendLimitRecord, SendLimits } from "#src/flows/SendLimits.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const saidText = Schema.fromJsonString(SendLimit)
const encode = Schema.encodeEffect(saidText)

const Row = Schema.Struct({
  per: LimitedBy,
  period: LimitPeriod,
  said: saidText,
  created: Schema.Number,
  updated: Schema.NullOr(Schema.Number)
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeOne = Schema.decodeUnknownEffect(Schema.Tuple([Row]))

/** `id` is what the log calls one that does not decode. */
const columns =
  `per || ' ' || period as id, per, period, said, created_at::float8 as created, updated_at::float8 as updated`

const record = ({ updated, ...row }: typeof Row.Type): SendLimitRecord => ({ ...row, updated: updated ?? undefined })

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const revisions = yield* Revisions.make("send limits")
  const listed = Readable.listed("send limit", Row)
  const isIt = (scope: Scope, { per, period }: LimitName) =>
    sql`scope = ${scope} and per = ${per} and period = ${period}`

  const put = Effect.fnUntraced(
    function*(scope: Scope, name: LimitName, said: SendLimit) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql`insert into send_limits (scope, per, period, said, created_at)
        values (${scope}, ${name.per}, ${name.period}, ${yield* encode(said)}, ${now})
        on conflict (scope, per, period) do update set said = excluded.said, updated_at = excluded.created_at
        returning ${sql.literal(columns)}`
      yield* revisions.bump(scope)
      const [row] = yield* decodeOne(rows)
      return record(row)
    },
    sql.withTransaction,
    orUnavailable
  )

  const get = Effect.fnUntraced(function*(scope: Scope, name: LimitName) {
    const rows = yield* sql`select ${sql.literal(columns)} from send_limits where ${isIt(scope, name)}`
    const row = Array.head(yield* decode(rows))
    return Option.isSome(row) ? record(row.value) : yield* new SendLimitNotFound(name)
  }, orUnavailable)

  const remove = Effect.fnUntraced(
    function*(scope: Scope, name: LimitName) {
      const gone = yield* sql`delete from send_limits where ${isIt(scope, name)} returning 1`
      if (gone.length === 0) return yield* new SendLimitNotFound(name)
      yield* revisions.bump(scope)
    },
    sql.withTransaction,
    orUnavailable
  )

  const list = Effect.fnUntraced(function*(scope: Scope) {
    const rows = yield* sql`select ${sql.literal(columns)} from send_limits where scope = ${scope} order by per, period`
    return (yield* listed(rows)).map(record)
  }, orUnavailable)

  const installed = revisions.remembering(list)

  return SendLimits.of({ put, get, remove, list, installed: (scope) => installed(scope, "") })
})

/** The send limits in Postgres. */
export const layer = Layer.effect(SendLimits, make)
