import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import * as Installation from "#layers/postgres/Installation.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as Move from "#layers/postgres/move/Move.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as EveryTable from "#test/layers/postgres/move/EveryTable.ts"
import * as Directories from "#test/support/Directories.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Context, DateTime, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"

export const embedded = (dataDir: string, moved: boolean) => Embedded.layer({ dataDir, durability: "process", moved })

export const installed = Installation.layer(64).pipe(Layer.provide(Migrations.layer), Layer.provide(secretKey(1)))

/** What becomes of a server that starts here. */
const starting = <E extends { readonly _tag: string }>(store: Layer.Layer<SqlClient.SqlClient, E>) =>
  Effect.scoped(Layer.build(Layer.provide(installed, store))).pipe(
    Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "started" })
  )

/** What becomes of servers that start on the data directory, and on the database. */
export const starts = (directory: string, database: Redacted.Redacted) =>
  Effect.all([starting(embedded(directory, false)), starting(FreshDatabase.node(database))])

/** Runs this on an embedded store. */
export const within = <A, E, R>(directory: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(Effect.provide(embedded(directory, true)))

export const on = <A, E, R>(database: Redacted.Redacted, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(Effect.provide(FreshDatabase.node(database)))

/** A data directory that a server has set up, with rows in every table. */
export const filled = Effect.gen(function*() {
  const directory = yield* Directories.withDatabase
  yield* Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    for (const day of ["2026-11-21", "2026-11-28"]) yield* Partitions.make(sql, DateTime.makeUnsafe(day))
    yield* EveryTable.fill(sql)
  }).pipe(
    Effect.provide(Layer.provideMerge(Layer.provideMerge(installed, Migrations.layer), embedded(directory, false)))
  )
  return directory
})

/** Is told of the rows alone. */
export const ofRows =
  (told: (moved: number, of: number) => Effect.Effect<void>): Move.Ends["told"] => (done, of, what) =>
    what === Move.rowsMoved ? told(done, of) : Effect.void

/** A move to this database. */
export const move = (directory: string, database: Redacted.Redacted, told: Move.Ends["told"] = () => Effect.void) =>
  Effect.gen(function*() {
    const source = Context.get(yield* Layer.build(embedded(directory, true)), SqlClient.SqlClient)
    const there = Layer.provideMerge(Migrations.layer, FreshDatabase.node(database))
    const target = Context.get(yield* Layer.build(there), SqlClient.SqlClient)
    return yield* Move.run({ source, target, directory, to: "there", told })
  }).pipe(Effect.scoped, Effect.provide(NodeCrypto.layer))

/** All that a move must keep: every row, where the partitioned ones lie, and where sequences go on. */
export const contents = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  yield* sql`delete from settings where name = 'moved'`
  const tables = yield* EveryTable.tables(sql)
  const digests = yield* EveryTable.digests(sql, tables)
  const places =
    yield* sql`select tableoid::regclass::text as part, count(*)::int as rows from messages group by 1 order by 1`
  const sequences = yield* sql`select sequencename, last_value::text as last from pg_sequences order by 1`
  return { digests, places, sequences }
})
