import { Handover } from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as CutAtCommit from "#test/layers/postgres/CutAtCommit.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Queue, Scope } from "effect"

/** A node that owns these shards, over connections that break, and what another one hears. `stop` ends the first in order. */
const start = Effect.gen(function*() {
  const database = yield* FreshDatabase.url
  const other = Context.get(yield* Layer.build(FreshDatabase.node(database)), PgClient.PgClient)
  const notices = yield* other.listen("tidings_due")
  const lossy = CutAtCommit.make(database)
  const life = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  const context = yield* Layer.buildWithScope(Layer.fresh(Stores.layer).pipe(Layer.provide(lossy.layer)), life)
  const place = yield* Fixture.world
  const owned = new Set<number>()
  yield* Handover.use(({ connect }) =>
    connect({
      owns: (shard) => owned.has(shard),
      room: Effect.void,
      offer: () => Effect.void,
      stir: Effect.void,
      behind: () => Effect.void
    })
  ).pipe(Effect.provideContext(context))
  const accept = (shard: number) =>
    Journal.use(({ accept }) => accept(Fixture.acceptance(place, [Fixture.message(place, { shard })]))).pipe(
      Effect.provideContext(context)
    )
  return {
    ...lossy,
    accept,
    owned,
    stored: Effect.map(other`select 1 from messages`, (rows) => rows.length),
    heard: Effect.map(Queue.take(notices), ({ payload }) => payload),
    stop: Scope.close(life, Exit.void)
  }
})

describe("The owners of other nodes' shards", () => {
  it.live("are told together of all that was committed while a notice was on its way", () =>
    Effect.gen(function*() {
      const { accept, arm, heard, speak } = yield* start
      arm("silent", "pg_notify")
      yield* accept(1)
      assert.strictEqual(yield* heard, "1,transactional")
      for (const shard of [2, 3, 2, 4]) yield* accept(shard)
      speak()
      assert.strictEqual(yield* heard, "2,3,4,transactional")
    }).pipe(Effect.scoped), 20_000)

  it.live(
    "P1: are told again where the connection was lost on which they were to be told",
    () =>
      Effect.gen(function*() {
        const { accept, arm, heard } = yield* start
        arm("before", "pg_notify")
        yield* accept(1)
        assert.strictEqual(yield* heard, "1,transactional")
      }).pipe(Effect.scoped),
    20_000
  )

  it.live("P1: are told of what is stored though its answer was lost", () =>
    Effect.gen(function*() {
      const { accept, arm, heard } = yield* start
      arm("after", "insert into messages")
      yield* Effect.exit(accept(1))
      assert.strictEqual(yield* heard, "1,transactional")
    }).pipe(Effect.scoped), 20_000)

  it.live("A5: are told of a shard that this one gives up while it writes rows of it", () =>
    Effect.gen(function*() {
      const { accept, arm, heard, owned, speak, stored } = yield* start
      owned.add(1)
      yield* accept(1)
      arm("silent", "insert into messages")
      const accepting = yield* Effect.forkChild(accept(1), { startImmediately: true })
      yield* Effect.repeat(stored, { until: (count) => count === 2 })
      owned.delete(1)
      speak()
      yield* Fiber.join(accepting)
      assert.strictEqual(yield* heard, "1,transactional")
    }).pipe(Effect.scoped), 20_000)

  it.live("P1: are told by a node that stops of what it has just accepted", () =>
    Effect.gen(function*() {
      const { accept, arm, heard, speak, stop } = yield* start
      arm("silent", "pg_notify")
      yield* accept(1)
      assert.strictEqual(yield* heard, "1,transactional")
      yield* accept(2)
      yield* stop
      speak()
      assert.include(yield* heard, "2")
    }).pipe(Effect.scoped), 20_000)
})
