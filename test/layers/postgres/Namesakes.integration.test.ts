import * as Migrations from "#layers/postgres/Migrations.ts"
import * as NodeId from "#layers/cluster/NodeId.ts"
import * as Invalidations from "#layers/postgres/notices/Invalidations.ts"
import * as Wakeups from "#layers/postgres/notices/Wakeups.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Shards } from "#src/delivery/Shards.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Layer, Logger, type Redacted } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { TestClock } from "effect/testing"

interface Heard {
  readonly lines: globalThis.Array<unknown>
  alone: boolean | undefined
}

/** A node that joins at this address, until the scope closes; with no `id`, one of its own. */
const joining = Effect.fnUntraced(function*(database: Redacted.Redacted, address: string, id?: string) {
  const heard: Heard = { lines: [], alone: undefined }
  const shards = Layer.mock(Shards, {
    wake: Effect.void,
    owned: Effect.succeed([]),
    watch: () => Effect.void,
    alone: (isAlone) =>
      Effect.sync(() => {
        heard.alone = isAlone
      })
  })
  yield* Layer.build(
    Wakeups.layer(address).pipe(
      Layer.provide([
        shards,
        Layer.fresh(Handover.layer),
        Layer.fresh(Invalidations.layer),
        Layer.fresh(NodeId.layer(id).pipe(Layer.provide(NodeCrypto.layer))),
        FreshDatabase.node(database)
      ]),
      Layer.provide(Logger.layer([Logger.make(({ message }) => heard.lines.push(message))]))
    )
  )
  return heard
})

/** Lets the database answer: what it does takes no virtual time, of which `meanwhile` may let some pass. */
const until = (holds: () => boolean, meanwhile: Effect.Effect<void> = Effect.void) =>
  Effect.andThen(meanwhile, TestClock.withLive(Effect.sleep("20 millis"))).pipe(Effect.repeat({ until: holds }))

const nodesAt = Effect.fnUntraced(function*(addresses: ReadonlyArray<string>) {
  const database = yield* FreshDatabase.url
  yield* Migrations.run("cluster_runner_migrations", SqlRunnerStorage.migrations({ prefix: "cluster" })).pipe(
    Effect.provide(FreshDatabase.node(database))
  )
  return { database, nodes: yield* Effect.forEach(addresses, (address) => joining(database, address)) }
})

/** Lets ten counts of the nodes and more go by. */
const aWhile = Effect.forEach(
  Array.range(1, 12),
  () => Effect.andThen(TestClock.adjust("2 seconds"), TestClock.withLive(Effect.sleep("50 millis"))),
  { discard: true }
)

describe("Nodes with one address", () => {
  it.effect(
    "P3: two nodes with one address hear of each other, say so once, and neither believes to be alone",
    () =>
      Effect.gen(function*() {
        const { nodes } = yield* nodesAt(["127.0.0.1:23000", "127.0.0.1:23000"])
        yield* until(() => nodes.every(({ lines }) => lines.length > 0))
        for (const { lines } of nodes) assert.include(String(lines), "TIDINGS_CLUSTER_HOST")
        for (const node of nodes) node.alone = undefined
        yield* aWhile
        yield* until(() => nodes.every(({ alone }) => alone !== undefined), TestClock.adjust("2 seconds"))
        assert.deepStrictEqual(nodes.map(({ alone }) => alone), [false, false])
        assert.deepStrictEqual(nodes.map(({ lines }) => lines.length), [1, 1])
      }),
    60_000
  )

  it.effect(
    "one whose namesake is gone, as after a start that failed, says that too, and tells of the next one",
    () =>
      Effect.gen(function*() {
        const { database, nodes: [node] } = yield* nodesAt(["127.0.0.1:23000"])
        const lines = node?.lines ?? []
        const passing = joining(database, "127.0.0.1:23000").pipe(
          Effect.andThen(until(() => lines.length % 2 === 1)),
          Effect.scoped
        )
        yield* passing
        yield* until(() => lines.length === 2, TestClock.adjust("2 seconds"))
        yield* passing
        assert.match(String(lines[1]), /^no other node says any more that it is at 127.0.0.1:23000$/)
        assert.deepStrictEqual(lines[2], lines[0])
      }),
    60_000
  )

  it.effect(
    "nodes with addresses of their own have nothing to say, and one without another soon knows that it is alone",
    () =>
      Effect.gen(function*() {
        const { nodes } = yield* nodesAt(["127.0.0.1:23000", "127.0.0.1:23001"])
        const { nodes: [alone] } = yield* nodesAt(["127.0.0.1:23000"])
        yield* aWhile
        // On a busy machine the database may answer a count later than the clock here goes on.
        yield* until(() => alone?.alone === true, TestClock.adjust("2 seconds"))
        assert.deepStrictEqual([...nodes, alone].flatMap((node) => node?.lines ?? ["none"]), [])
      }),
    60_000
  )

  it.effect(
    "P3: a worker is not alone beside another one or another node's server, whose workers may be gone; its own server is itself",
    () =>
      Effect.gen(function*() {
        const { database } = yield* nodesAt([])
        const worker = yield* joining(database, "127.0.0.1:23000", "node-1")
        const serve = (id: string) =>
          Layer.build(
            Wakeups.announced("127.0.0.1:23000").pipe(
              Layer.provide([Layer.succeed(NodeId.NodeId, id), FreshDatabase.node(database)])
            )
          )
        yield* serve("node-1")
        yield* aWhile
        yield* until(() => worker.alone === true, TestClock.adjust("2 seconds"))
        yield* joining(database, "127.0.0.1:23001", "node-1")
        yield* until(() => worker.alone === false)
        yield* aWhile
        yield* until(() => worker.alone === true, TestClock.adjust("2 seconds"))
        yield* serve("node-2")
        yield* until(() => worker.alone === false)
        worker.alone = undefined
        yield* aWhile
        yield* until(() => worker.alone !== undefined, TestClock.adjust("2 seconds"))
        assert.isFalse(worker.alone)
      }),
    60_000
  )
})
