import * as Migrations from "#layers/postgres/Migrations.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Logger, type Redacted } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { SqlClient } from "effect/sql"

/** Takes back what the latest migrations did, from that of the send limits on. */
const latest = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table send_limits, send_counts, webhooks, webhook_events`
  yield* sql`alter table messages drop column counted`
  yield* sql`alter table messages alter column instructions set not null`
  yield* sql`alter table inbox drop column read_at, drop column opened_at, drop column archived_at`
})

/** A database as an earlier version left it, whose inbox is still to be changed. */
const older = Effect.gen(function*() {
  const database = yield* FreshDatabase.url
  const node = FreshDatabase.node(database)
  yield* Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.scoped(Effect.provide(Effect.void, Migrations.layer))
    yield* latest
    yield* sql`alter table inbox drop column expires_at`
    yield* sql`drop table bulk_users, bulk_jobs`
    yield* sql`drop table tenant_drops, frames, push_tickets, suppressions`
    yield* sql`drop trigger audience_follows_tenant_anew on tenant_users`
    yield* sql`drop index expansions_long, expansions_by_state`
    yield* sql`alter table tenants drop column generation`
    yield* sql`alter table tenant_users drop column generation`
    yield* sql`delete from migrations where migration_id >= 28`
  }).pipe(Effect.provide(node))
  return database
})

/** A transaction that has read the tables, as a backup has, until the latch opens. */
const reading = Effect.fnUntraced(function*(
  database: Redacted.Redacted,
  release: Latch.Latch,
  tables: ReadonlyArray<string> = ["inbox"]
) {
  const read = Latch.makeUnsafe()
  const scope = yield* Effect.scope
  yield* SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(Effect.gen(function*() {
      yield* Effect.forEach(tables, (table) => sql`select count(*) from ${sql(table)}`, { discard: true })
      yield* read.open
      yield* release.await
    }))
  ).pipe(Effect.provide(FreshDatabase.node(database)), Effect.forkIn(scope))
  yield* read.await
})

const migrate = (database: Redacted.Redacted) =>
  Effect.provide(
    Effect.scoped(
      Effect.provide(SqlClient.SqlClient.use((sql) => sql`select expires_at from inbox`), Migrations.layer)
    ),
    FreshDatabase.node(database)
  )

describe("Migrations", () => {
  it.live(
    "U2: nobody waits behind a migration that waits for a backup, and it is done when that has ended",
    () =>
      Effect.gen(function*() {
        const database = yield* older
        const release = Latch.makeUnsafe()
        yield* reading(database, release)
        const migrating = yield* Effect.forkChild(migrate(database))
        yield* Effect.sleep("500 millis")
        const served = yield* SqlClient.SqlClient.use((sql) => sql`select 1 from inbox limit 1`).pipe(
          Effect.provide(FreshDatabase.node(database)),
          Effect.timeoutOption("4 seconds")
        )
        yield* release.open
        assert.strictEqual(served._tag, "Some")
        yield* Fiber.join(migrating)
      }),
    60_000
  )

  it.live(
    "U2: a migration that the database ends, since it and another session waited for each other, is run again",
    () =>
      Effect.gen(function*() {
        const database = yield* older
        const sessions = FreshDatabase.node(database)
        yield* SqlClient.SqlClient.use((sql) =>
          sql.withTransaction(Effect.gen(function*() {
            // Of the two, the one that looks first is ended.
            yield* sql`set local deadlock_timeout = '60s'`
            yield* sql`select count(*) from tenants`
            const migrating = yield* Effect.forkDetach(migrate(database))
            yield* Effect.sleep("500 millis")
            yield* sql`select count(*) from inbox`
            return migrating
          }))
        ).pipe(Effect.flatMap(Fiber.join), Effect.provide(sessions))
      }),
    60_000
  )

  it.live("a start of a version that has nothing to change waits for no backup", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      const cluster = Migrations.run("cluster_runner_migrations", SqlRunnerStorage.migrations({ prefix: "cluster" }))
      const start = Effect.provide(
        Effect.scoped(Effect.provide(cluster, Migrations.layer)),
        FreshDatabase.node(database)
      )
      yield* start
      const release = Latch.makeUnsafe()
      yield* reading(database, release, ["migrations", "cluster_runner_migrations"])
      const started = yield* Effect.timeoutOption(start, "20 seconds")
      yield* release.open
      assert.strictEqual(started._tag, "Some")
    }), 60_000)

  it.live(
    "a version that is older than the schema says so, and starts; one of the same age says nothing",
    () =>
      Effect.gen(function*() {
        const database = yield* FreshDatabase.url
        const heard: Array<unknown> = []
        const start = Effect.scoped(Effect.provide(Effect.void, Migrations.layer)).pipe(
          Effect.provide(FreshDatabase.node(database)),
          Effect.provide(Logger.layer([Logger.make(({ message }) => heard.push(message))]))
        )
        yield* start
        yield* start
        assert.deepStrictEqual(heard, [])
        yield* SqlClient.SqlClient.use((sql) =>
          sql`insert into migrations (migration_id, name) values (9000, 'of_the_next_version')`
        ).pipe(Effect.provide(FreshDatabase.node(database)))
        yield* start
        assert.strictEqual(heard.length, 1)
        assert.include(JSON.stringify(heard), "newer version")
      }),
    60_000
  )

  it.live("a migration that another one's number hides is told of, at each start", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      const heard: Array<unknown> = []
      const start = Effect.scoped(Effect.provide(Effect.void, Migrations.layer)).pipe(
        Effect.provide(FreshDatabase.node(database)),
        Effect.provide(Logger.layer([Logger.make(({ message }) => heard.push(message))]))
      )
      yield* start
      yield* SqlClient.SqlClient.use((sql) =>
        sql`update migrations set name = 'another' where name in ('suppressions', 'webhooks')`
      ).pipe(Effect.provide(FreshDatabase.node(database)))
      yield* start
      assert.lengthOf(heard, 1)
      assert.include(JSON.stringify(heard), "suppressions, webhooks")
    }), 60_000)

  it.live(
    "a migration and a page that a node of the last version expands do not wait for each other",
    () =>
      Effect.gen(function*() {
        const database = yield* FreshDatabase.url
        yield* SqlClient.SqlClient.use((sql) =>
          Effect.gen(function*() {
            yield* Effect.scoped(Effect.provide(Effect.void, Migrations.layer))
            yield* latest
            yield* sql`drop index expansions_long`
            yield* sql`create index expansions_ended on expansions (ended_at) where ended_at is not null`
            yield* sql`drop table suppressions`
            yield* sql`delete from migrations where migration_id >= 39`
          })
        ).pipe(Effect.provide(FreshDatabase.node(database)))
        const migrating = yield* SqlClient.SqlClient.use((sql) =>
          sql.withTransaction(Effect.gen(function*() {
            yield* sql`select id from expansions for update`
            const migrating = yield* Effect.forkDetach(migrate(database))
            yield* Effect.sleep("500 millis")
            yield* sql`update expansions set tries = 0`
            return migrating
          }))
        ).pipe(Effect.provide(FreshDatabase.node(database)))
        yield* Fiber.join(migrating)
      }),
    60_000
  )

  it.live("nodes that start at once on an empty database share the work", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      const start = Effect.provide(
        Effect.scoped(Effect.provide(Effect.void, Migrations.layer)),
        FreshDatabase.node(database)
      )
      yield* Effect.all([start, start, start], { concurrency: "unbounded", discard: true })
    }), 60_000)

  it.live("a limit on the time of queries is none of a migration's", () =>
    Effect.gen(function*() {
      const database = yield* older
      yield* SqlClient.SqlClient.use((sql) =>
        sql.unsafe(
          "do $$ begin execute format('alter database %I set statement_timeout = 300', current_database()); end $$"
        ).unprepared
      ).pipe(Effect.provide(FreshDatabase.node(database)))
      const release = Latch.makeUnsafe()
      yield* reading(database, release)
      const migrating = yield* Effect.forkChild(migrate(database))
      yield* Effect.sleep("600 millis")
      yield* release.open
      yield* Fiber.join(migrating)
    }), 60_000)
})
