import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Actor, Audit, AuditEventNotFound } from "#src/reports/Audit.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const actorText = Schema.fromJsonString(Actor)
const encodeActor = Schema.encodeEffect(actorText)
const Row = Schema.Struct({
  id: Schema.String,
  at: Schema.Number,
  type: Schema.String,
  source: Schema.String,
  target: Schema.String,
  actor: actorText
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const columns = `id, at::float8 as at, type, source, target, actor`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const newId = yield* TypeId.generator("aev")
  const listed = Readable.listed("audit event", Row)
  const place = PageBytes.place(sql, { at: "audit_events.at", id: "id" })

  const record: Audit["Service"]["record"] = Effect.fnUntraced(function*(scope, { actor, source, target, type }) {
    const id = yield* newId
    const now = yield* Clock.currentTimeMillis
    yield* sql`insert into audit_events (scope, id, at, type, source, target, actor)
      values (${scope}, ${id}, ${now}, ${type}, ${source}, ${target}, ${yield* encodeActor(actor)})`
  }, orUnavailable)

  const list: Audit["Service"]["list"] = Effect.fnUntraced(function*(scope, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "audit events", filters: [] }
    const before = yield* Pages.after(cursors, sealed, cursor)
    // `at` is qualified with its table, which means the indexed column. Alone it would mean the selected expression.
    const rows = yield* sql`select ${sql.literal(columns)}, ${place} from audit_events where scope = ${scope}
        ${before === undefined ? sql`` : sql`and (at, id) < (${before.at}::bigint, ${before.id})`}
      order by audit_events.at desc, id desc limit ${limit + 1}::int`
    const shown = rows.slice(0, limit)
    const end = rows.length > limit ? yield* PageBytes.endOf(shown) : undefined
    return Pages.upTo(cursors, sealed, yield* listed(shown), end)
  }, orUnavailable)

  const get: Audit["Service"]["get"] = Effect.fnUntraced(function*(scope, id) {
    const rows = yield* sql`select ${sql.literal(columns)} from audit_events
      where scope = ${scope} and id = ${id}`.pipe(Effect.flatMap(decode))
    const row = Array.head(rows)
    return Option.isSome(row) ? row.value : yield* new AuditEventNotFound({ id })
  }, orUnavailable)

  return Audit.of({ together: (operation) => orUnavailable(sql.withTransaction(operation)), record, list, get })
})

/** The audit on Postgres. */
export const layer = Layer.effect(Audit, make)
