import * as Clusters from "#layers/postgres/Clusters.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as Partitions from "#layers/postgres/days/Partitions.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import * as Views from "#src/reports/Clusters.ts"
import { Scope } from "#schemas/Scope.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const now = Date.UTC(2026, 10, 21, 12)

const layer = Clusters.layer.pipe(
  Layer.provide(Layer.succeed(ShardCount, 5)),
  Layer.provideMerge(FreshDatabase.layer)
)

const lookFrom = (scope: number) => Views.Clusters.use((clusters) => clusters.look(now, Scope.make(scope)))
const look = lookFrom(1)

/** The owners of shards, by their epochs. */
const owned = (owners: Readonly<Record<number, string>>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.forEach(Object.entries(owners), ([shard, node]) =>
      sql`insert into epochs (shard, epoch, node, taken_at) values (${Number(shard)}, ${
        Number(shard) + 10
      }, ${node}, 7)`)
  })

/** A runner that was heard of so many ms ago. */
const runner = Effect.fnUntraced(function*(address: string, healthy: boolean, ago: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into cluster_runners (address, runner, healthy, last_heartbeat)
    values (${address}, '{}', ${healthy}, to_timestamp(${(now - ago) / 1_000}::float8)::timestamp)`
})

/** A message of shard 0 in this lane, that is due since then. */
const due = Effect.fnUntraced(function*(id: string, lane: string, dueAt: number, enqueuedAt: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into messages ${
    sql.insert({
      scope: 1,
      id,
      request_id: id,
      shard: 0,
      lane,
      recipient_key: "k",
      key_state: "published",
      status: "ENQUEUED",
      due_at: dueAt,
      event: "",
      template: "",
      recipient_name: "k",
      enqueued_at: enqueuedAt,
      recipient: "{}",
      instructions: "{}"
    })
  }`
})

const idOf = (tail: string) => `1-${Math.floor(now / 1_000).toString(16).padStart(8, "0")}-${tail.repeat(24)}`

describe("The view of the cluster", () => {
  it.effect("P2: a shard is nobody's unless a node owns it that is well and was heard of within 8 s", () =>
    Effect.gen(function*() {
      yield* Migrations.run("cluster_runner_migrations", SqlRunnerStorage.migrations({ prefix: "cluster" }))
      yield* runner("a", true, 0)
      yield* runner("b", true, 7_999)
      yield* runner("c", true, 8_000)
      yield* runner("d", false, 0)
      yield* owned({ 0: "a", 1: "b", 2: "c", 3: "d" })
      const { nodes, shards, unowned } = yield* look
      assert.strictEqual(shards, 5)
      assert.deepStrictEqual(unowned, [2, 3, 4])
      assert.deepStrictEqual(nodes.map(({ address, alive, last_seen }) => [address, alive, last_seen]), [
        ["a", true, now],
        ["b", true, now - 7_999],
        ["c", false, now - 8_000],
        ["d", false, now]
      ])
      assert.deepStrictEqual(nodes[1]?.shards, [{ shard: 1, epoch: 11, since: 7, due: 0 }])
    }).pipe(Effect.provide(layer)))

  it.effect("the only node on its store has no list of nodes, and owns what it has taken", () =>
    Effect.gen(function*() {
      yield* owned({ 0: "embedded", 2: "embedded" })
      const { nodes, unowned } = yield* look
      assert.deepStrictEqual(unowned, [1, 3, 4])
      assert.deepStrictEqual(nodes.map(({ address, alive, last_seen }) => [address, alive, last_seen]), [
        ["embedded", true, null]
      ])
    }).pipe(Effect.provide(layer)))

  it.effect("what is due is counted for its shard in both lanes, and the oldest of it is named", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      yield* Partitions.ensure(yield* SqlClient.SqlClient)
      yield* owned({ 0: "embedded" })
      assert.deepInclude(yield* look, { at: now, due: 0, lag: 0, oldest_due: null })
      yield* due(idOf("a"), "transactional", 0, now - 1_000)
      yield* due(idOf("b"), "bulk", 0, now - 3_000)
      yield* due(idOf("c"), "transactional", now - 2_000, now - 9_000)
      yield* due(idOf("d"), "bulk", now + 1, now - 9_000)
      const { due: count, lag, nodes, oldest_due } = yield* look
      assert.deepStrictEqual([count, lag, oldest_due], [3, 3_000, { id: idOf("b"), shard: 0, since: now - 3_000 }])
      assert.deepStrictEqual(nodes[0]?.shards.map((shard) => shard.due), [3])
      // P10: a caller of another environment learns how far behind the node is, and of no message.
      assert.deepStrictEqual((yield* lookFrom(2)).oldest_due, { id: null, shard: 0, since: now - 3_000 })
    }).pipe(Effect.provide(layer)))
})
