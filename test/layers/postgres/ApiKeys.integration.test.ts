import * as Stored from "#layers/postgres/ApiKeys.ts"
import { ApiKeys } from "#src/access/ApiKeys.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { settable } from "#test/support/SettableClock.ts"
import * as TcpProxy from "#test/support/TcpProxy.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const nodeOf = (database: Redacted.Redacted, key: number) =>
  Layer.build(Stored.layer.pipe(
    Layer.provide([
      NodeCrypto.layer,
      secretKey(key)
    ]),
    Layer.provideMerge(FreshDatabase.node(database))
  ))

const migrated = Effect.gen(function*() {
  const database = yield* FreshDatabase.url
  yield* Layer.build(Migrations.layer.pipe(Layer.provide(FreshDatabase.node(database))))
  return database
})

describe("ApiKeys on Postgres", () => {
  it.effect("two nodes that start at once make one set, and both know it", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const nodes = yield* Effect.forEach([1, 1, 1], (key) => nodeOf(database, key))
      const made = yield* Effect.forEach(nodes, (node) => Context.get(node, ApiKeys).bootstrap(undefined), {
        concurrency: "unbounded"
      })
      const [keys, ...others] = made.filter((set) => set !== undefined)
      assert.lengthOf(others, 0)
      assert.isDefined(keys)
      for (const node of nodes) {
        const principal = yield* Context.get(node, ApiKeys).authenticate(keys.testDraft)
        assert.deepStrictEqual([principal.scope, principal.keyState], [2, "draft"])
      }
    }))

  it.effect("of nodes that replace the keys at once, one has its four stay", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const nodes = (yield* Effect.forEach([1, 1, 1], (key) => nodeOf(database, key))).map(Context.get(ApiKeys))
      yield* Effect.forEach(nodes, (keys) => keys.bootstrap(undefined), { discard: true })
      const made = yield* Effect.forEach(nodes, (keys) => keys.replace(undefined), { concurrency: "unbounded" })
      const { authenticate } = Context.get(yield* nodeOf(database, 1), ApiKeys)
      const opens = yield* Effect.forEach(
        made,
        (four) => Effect.forEach(Object.values(four), (key) => Effect.isSuccess(authenticate(key)))
      )
      assert.sameDeepMembers(opens, made.map((_, n) => Array.from({ length: 4 }, () => n === 0)))
    }))

  it.effect("P9: the database holds no key, and another secret key opens nothing", () =>
    Effect.gen(function*() {
      const database = yield* migrated
      const [node, other] = yield* Effect.all([nodeOf(database, 1), nodeOf(database, 2)])
      const keys = yield* Context.get(node, ApiKeys).bootstrap(Redacted.make("s3cret-part"))
      assert.isDefined(keys)
      assert.strictEqual(Redacted.value(keys.productionPublished), "pk_prod_s3cret-part")
      const rows = yield* Context.get(node, SqlClient.SqlClient)`select k::text as text from api_keys k`
      assert.lengthOf(rows, 4)
      assert.notInclude(JSON.stringify(rows), "s3cret")
      const error = yield* Effect.flip(Context.get(other, ApiKeys).authenticate(keys.productionPublished))
      assert.strictEqual(error._tag, "InvalidKey")
    }))

  it.effect("P1: a key is not looked up for longer than 2 s, however many wait for it, and then anew", () =>
    Effect.gen(function*() {
      const database = new URL(Redacted.value(yield* migrated))
      const proxy = yield* TcpProxy.start({ host: database.hostname, port: Number(database.port || 5432) })
      database.hostname = "127.0.0.1"
      database.port = String(proxy.port)
      const keys = Context.get(yield* nodeOf(Redacted.make(database.toString()), 1), ApiKeys)
      const set = yield* keys.bootstrap(undefined)
      assert.isDefined(set)
      proxy.freeze()
      const ask = keys.authenticate(set.productionPublished)
      const asking = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.forkChild(Effect.flip(ask), { startImmediately: true })
      )
      yield* TestClock.adjust("2 seconds")
      const told = asking.map((fiber) => fiber.pollUnsafe()?._tag)
      proxy.heal()
      assert.deepStrictEqual(told, asking.map(() => "Success"))
      const failures = yield* Fiber.joinAll(asking)
      assert.deepStrictEqual(failures.map(({ _tag }) => _tag), asking.map(() => "StoreUnavailable"))
      assert.strictEqual((yield* ask).keyState, "published")
    }))

  it.effect("a known key needs no database for a minute, and a removed one is refused after it", () =>
    Effect.gen(function*() {
      const node = yield* nodeOf(yield* migrated, 1)
      const keys = Context.get(node, ApiKeys)
      const set = yield* keys.bootstrap(undefined)
      assert.isDefined(set)
      yield* keys.authenticate(set.testPublished)
      yield* Context.get(node, SqlClient.SqlClient)`delete from api_keys`
      yield* keys.authenticate(set.testPublished)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Effect.flip(keys.authenticate(set.testPublished)))._tag, "InvalidKey")
    }))

  it.effect("a removed key is refused after half a minute whatever the clock is set to meanwhile", () =>
    Effect.gen(function*() {
      const node = yield* nodeOf(yield* migrated, 1)
      const keys = Context.get(node, ApiKeys)
      const set = yield* keys.bootstrap(undefined)
      assert.isDefined(set)
      const { clock, set: setTo, tick } = settable(1_000_000_000_000)
      const asked = Effect.provideService(keys.authenticate(set.testPublished), Clock.Clock, clock)
      yield* asked
      yield* Context.get(node, SqlClient.SqlClient)`delete from api_keys`
      setTo(0)
      tick(29_999)
      yield* asked
      tick(1)
      assert.strictEqual((yield* Effect.flip(asked))._tag, "InvalidKey")
    }))
})
