import * as Outage from "#src/store/Outage.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** How often is looked. A transaction that was the oldest at two looks is told of. */
const looked = "1 minute"

const Text = Schema.NullOr(Schema.String)
const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  xid: Schema.String,
  pid: Schema.NullOr(Schema.Int),
  database: Text,
  role: Text,
  application: Text
})))

/** The oldest transaction of the server that has written. Every role may see whose it is, but not what it does. */
const oldest = `select xid::text, pid, database::text, role::text, application from (
    select backend_xid as xid, pid, datname as database, usename as role, application_name as application
      from pg_stat_activity where backend_xid is not null
    union all select transaction, null, database, owner, 'prepared transaction ' || gid from pg_prepared_xacts) writing
  order by age(xid) desc limit 1`

/**
 * A look, to be taken again and again, which tells of a transaction that was the oldest at the last one too; once, and
 * once that it has ended.
 */
export const make = (sql: SqlClient.SqlClient) => {
  let before: string | undefined

  const outage = Outage.make({
    lost: (writer) =>
      Effect.logWarning(
        "a transaction of the database server has written and does not end: until it does, looks for what is due pass all that is done meanwhile",
        writer
      ),
    found: Effect.logInfo("the transaction that did not end has ended")
  })

  return Effect.gen(function*() {
    const [found] = yield* decode(yield* sql.unsafe(oldest))
    const isSame = found !== undefined && found.xid === before
    before = found?.xid
    yield* isSame ? outage.lost(found) : outage.found()
  })
}

/**
 * Warns while a transaction that has written, in whatever database of the server, stays open for more than a minute or
 * two: one that somebody forgot, or a long change of another program's. Until it ends, Postgres clears away nothing that
 * was changed or deleted meanwhile, and where looks for what is due begin (`OpenFrom`) stands still.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const patiently = yield* Patience.asking(Patience.callers)
  yield* patiently(make(yield* SqlClient.SqlClient)).pipe(
    Effect.ignore,
    Effect.catchDefect((defect) => Effect.logError("whether a transaction stays open is unknown", defect)),
    Effect.andThen(Effect.sleep(looked)),
    Effect.forever,
    Effect.forkScoped
  )
}))
