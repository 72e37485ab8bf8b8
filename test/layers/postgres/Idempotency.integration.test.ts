import * as Idempotencies from "#layers/postgres/Idempotency.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import { Scope } from "#schemas/Scope.ts"
import { Idempotency, type IdempotencyKey, type StoredResponse } from "#src/access/Idempotency.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as CutAtCommit from "#test/layers/postgres/CutAtCommit.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Fiber, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const key: IdempotencyKey = { scope: Scope.make(1), path: "/send", value: "k", expiresAt: 1e13, bodyHash: "" }

type Node = Context.Context<Idempotency | SqlClient.SqlClient>

const over = <E>(client: Layer.Layer<SqlClient.SqlClient, E>) =>
  Layer.build(Idempotencies.layer.pipe(Layer.provide(NodeCrypto.layer), Layer.provideMerge(client)))

const node = (database: Redacted.Redacted) => over(FreshDatabase.node(database))

const migrated = Effect.gen(function*() {
  const database = yield* FreshDatabase.url
  yield* Layer.build(Migrations.layer.pipe(Layer.provide(FreshDatabase.node(database))))
  return database
})

/** Leaves a row that says it ran, on its node's connection, and runs `during` before it ends. */
const operation = (during: Effect.Effect<unknown, StoreUnavailable> = Effect.void, status = 200) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`insert into settings select 'run ' || count(*), '' from settings`.pipe(
        Effect.mapError((cause) => new StoreUnavailable({ cause })),
        Effect.andThen(during),
        Effect.as<StoredResponse>({
          status,
          body: `{"status":${status}}`,
          headers: { "content-type": "application/json" }
        })
      )
  )

const call = (at: Node, effect: ReturnType<typeof operation>, more: Partial<IdempotencyKey> = {}) =>
  Context.get(at, Idempotency).once({ ...key, ...more }, Effect.provideContext(effect, at))

const runs = (at: Node) =>
  Effect.map(Context.get(at, SqlClient.SqlClient)`select 1 from settings`, (rows) => rows.length)

const crash = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
)

describe("Idempotency on Postgres", () => {
  it.effect("P5: of two nodes with one key at once, one runs and the other waits for its commit and replays", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const [one, two] = yield* Effect.all([node(database), node(database)])
      const started = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        call(one, operation(Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(go))))
      )
      yield* Deferred.await(started)
      const second = yield* Effect.forkChild(call(two, operation(Effect.die("it ran twice"))))
      const sql = Context.get(two, SqlClient.SqlClient)
      yield* Effect.repeat(
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        {
          until: (rows) => rows.length === 1
        }
      )
      yield* Deferred.succeed(go, undefined)
      assert.isFalse((yield* Fiber.join(first)).replayed)
      assert.deepStrictEqual(yield* Fiber.join(second), {
        replayed: true,
        response: { status: 200, body: `{"status":200}`, headers: { "content-type": "application/json" } }
      })
      assert.strictEqual(yield* runs(one), 1)
    }))

  it.effect("a duplicate on another node gives up after 5 s with StillRunning", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const [one, two] = yield* Effect.all([node(database), node(database)])
      const started = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        call(one, operation(Effect.andThen(Deferred.succeed(started, undefined), Effect.never)))
      )
      yield* Deferred.await(started)
      const error = yield* Effect.flip(call(two, operation()))
      assert.strictEqual(error._tag, "StillRunning")
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* runs(one), 0)
      assert.isFalse((yield* call(two, operation())).replayed)
    }))

  for (const cut of ["before", "after"] as const) {
    it.live(`P5: a connection cut ${cut} the commit reaches the server: one effect, its own response`, () =>
      Effect.gen(function*() {
        const database = yield* migrated
        const lossy = CutAtCommit.make(database)
        const [at, other] = yield* Effect.all([over(lossy.layer), node(database)])
        lossy.arm(cut)
        const answer = yield* call(at, operation())
        assert.deepStrictEqual([answer.replayed, answer.response.status], [false, 200])
        assert.strictEqual(yield* runs(other), 1)
        assert.isTrue((yield* call(other, operation())).replayed)
      }).pipe(Effect.scoped))
  }

  it.live("P5: so it is of a key that another call's answer had until it expired", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const lossy = CutAtCommit.make(database)
      const [at, other] = yield* Effect.all([over(lossy.layer), node(database)])
      yield* call(other, operation(), { expiresAt: 1 })
      lossy.arm("after")
      assert.isFalse((yield* call(at, operation())).replayed)
      assert.strictEqual(yield* runs(other), 2)
    }).pipe(Effect.scoped))

  it.effect("a sweep waits for no call that takes an expired key again, and leaves it that key", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const [one, two] = yield* Effect.all([node(database), node(database)])
      for (const value of ["again", "over"]) yield* call(one, operation(), { value, expiresAt: 10 })
      yield* TestClock.adjust(10)
      const [started, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const during = Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(go))
      const again = yield* Effect.forkChild(call(one, operation(during), { value: "again" }))
      yield* Deferred.await(started)
      assert.strictEqual(yield* Context.get(two, Idempotency).sweep(100), 1)
      yield* Deferred.succeed(go, undefined)
      assert.isFalse((yield* Fiber.join(again)).replayed)
      assert.isTrue((yield* call(two, operation(), { value: "again" })).replayed)
    }))

  it.effect("the patience for a key's row ends with its call: what follows on the connection waits as long as it must", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const only = { url: database, maxConnections: 1, idleTimeout: Duration.infinity }
      const at = yield* over(PgClient.layer(only))
      yield* call(at, operation())
      const sql = Context.get(at, SqlClient.SqlClient)
      assert.deepStrictEqual(yield* sql`select current_setting('lock_timeout') as patience`, [{ patience: "0" }])
    }))

  it.effect("a connection lost in the operation is StoreUnavailable, never a defect, and stores nothing", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const at = yield* node(database)
      const error = yield* Effect.flip(call(at, operation(Effect.provideContext(crash, at))))
      assert.strictEqual(error._tag, "StoreUnavailable")
      const next = yield* call(at, operation())
      assert.isFalse(next.replayed)
      assert.strictEqual(yield* runs(at), 1)
    }))
})
