import * as ManyNodes from "#layers/cluster/ManyNodes.ts"
import * as Placed from "#layers/cluster/Placement.ts"
import * as Clusters from "#layers/postgres/Clusters.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import { Placement } from "#src/delivery/shards/Placement.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import * as Views from "#src/reports/Clusters.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Ports from "#test/support/Ports.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Layer, Logger, type Redacted, Schedule, Scope } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

const count = 64
const host = "127.0.0.1"

interface Node {
  readonly address: string
  readonly scope: Scope.Closeable
  /** The shards that its engine was told to own, and not yet to leave. */
  readonly running: ReadonlySet<number>
  readonly assigned: Placement["Service"]["assigned"]
}

/** A node of the cluster on this database, with an engine that owns what it is told to. */
const joining = Effect.fnUntraced(function*(database: Redacted.Redacted) {
  const port = yield* Effect.promise(() => Ports.free())
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const running = new Set<number>()
  const own = (shard: number) =>
    Effect.acquireUseRelease(
      Effect.sync(() => running.add(shard)),
      () => Effect.never,
      () => Effect.sync(() => running.delete(shard))
    )
  const { assigned } = Context.get(
    yield* Layer.buildWithScope(
      Placed.layer(`${host}:${port}`).pipe(
        Layer.provide([ManyNodes.layer({ host, port, followsPort: false }), Layer.mock(Shards, { own })]),
        Layer.provide([FreshDatabase.node(database), NodeCrypto.layer])
      ),
      scope
    ),
    Placement
  )
  const node: Node = { address: `${host}:${port}`, scope, running, assigned }
  return node
})

/** Waits until the engines of these nodes own every shard, each one and each with what its node was given. */
const shared = (nodes: ReadonlyArray<Node>) =>
  Effect.gen(function*() {
    const given = yield* Effect.forEach(nodes, ({ assigned }) => assigned)
    const owned = nodes.flatMap(({ running }) => [...running])
    return nodes.every(({ running }, index) => running.size > 0 && running.size === given[index]?.length)
      && owned.length === count && new Set(owned).size === count
  }).pipe(Effect.repeat({ until: (is) => is, schedule: Schedule.spaced("50 millis") }))

describe("The cluster of all nodes on a database", () => {
  it.live(
    "P2: shares the shards among them, each on one; who joins is given some, and those of who leaves go to the others",
    () =>
      Effect.gen(function*() {
        const database = yield* FreshDatabase.url
        const stores = FreshDatabase.node(database)
        yield* Effect.provide(Effect.void, Layer.provide(Migrations.layer, stores))
        const first = yield* joining(database)
        yield* shared([first])
        const second = yield* joining(database)
        yield* shared([first, second])
        const seen = Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Views.Clusters.use(({ look }) => look(now, undefined))).pipe(
            Effect.provide(Clusters.layer.pipe(Layer.provide(stores)))
          )
        const { nodes } = yield* seen
        assert.sameMembers(
          nodes.map(({ address }) =>
            address
          ),
          [first.address, second.address]
        )
        yield* Scope.close(second.scope, Exit.void)
        yield* shared([first])
        assert.strictEqual(second.running.size, 0)
      }).pipe(Effect.provideService(ShardCount, count)),
    180_000
  )

  it.live(
    "does not take it for an error of its own that another node breaks its connection off",
    () =>
      Effect.gen(function*() {
        const database = yield* FreshDatabase.url
        yield* Effect.provide(Effect.void, Layer.provide(Migrations.layer, FreshDatabase.node(database)))
        const lines: Array<string> = []
        const heard = Logger.layer([
          Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
        ])
        const node = yield* Effect.provide(joining(database), heard)
        yield* shared([node])
        const broken = async () => {
          const socket = connect(Number(node.address.split(":")[1]), host)
          await once(socket, "connect")
          await sleep(50)
          const closed = once(socket, "close")
          socket.resetAndDestroy()
          await closed
        }
        yield* Effect.promise(broken)
        yield* Effect.sleep("500 millis")
        assert.deepStrictEqual(lines.filter((line) => !line.startsWith("Info")), [])
      }).pipe(Effect.provideService(ShardCount, count)),
    60_000
  )

  it.live("names its host, and no PORT, where that is no host of this machine's", () =>
    Effect.gen(function*() {
      const stores = FreshDatabase.node(yield* FreshDatabase.url)
      yield* Effect.provide(Effect.void, Layer.provide(Migrations.layer, stores))
      for (const elsewhere of ["192.0.2.1", "nowhere.invalid"]) {
        const node = ManyNodes.layer({ host: elsewhere, port: 23_000, followsPort: true })
        const refused = yield* Effect.flip(Layer.build(Layer.provide(node, [stores, NodeCrypto.layer])))
        assert.include(String(refused.message), "; set TIDINGS_CLUSTER_HOST or")
      }
    }), 60_000)
})
