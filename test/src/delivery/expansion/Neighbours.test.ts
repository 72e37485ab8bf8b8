import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { PageSize } from "#src/delivery/expansion/Paging.ts"
import type { Members } from "#src/people/Members.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** Ready messages of one turn after which its next page waits, here: more than the turn may hold in hand. */
const mostReady = 1_500
const pageSize = 100
const campaigns = 3
const crowd = 1_300
const few = 300
/** How long a provider takes for one of the crowd, in ms. */
const slow = 10_000

/** A list has as many members as the number at the beginning of its name says. */
const members: Members["Service"] = {
  exists: () => Effect.succeed(true),
  page: (_, source, { after, limit }) => {
    const list = source._tag === "List" ? source.id : "0"
    const [count, from] = [Number.parseInt(list, 10), after === undefined ? 0 : Number(after.userId.split("-")[1])]
    return Effect.succeed(
      Array.from(
        { length: Math.min(limit, count - from) },
        (_, n) => ({ group: "", userId: `${list}-${from + n + 1}` })
      )
    )
  }
}

const stores = Layer.effect(
  Expansions,
  Effect.map(Expansions, (expansions) => ({
    ...expansions,
    isBacklogged: (_: number, turns: ReadonlyArray<string>) => expansions.isBacklogged(mostReady, turns)
  }))
).pipe(Layer.provideMerge(memory.node))

describe("Neighbours of a slow backlog", () => {
  const cases = [
    ["another environment", "has begun", 20_000],
    ["another environment", "begins", 0],
    ["another tenant", "has begun", 20_000],
    ["another tenant", "begins", 0]
  ] as const
  it.effect.each(cases)(
    "%s's fan-out is sent within seconds when one tenant's slow one %s, whose rows stay few and are all sent in the end",
    ([whose, , head]) =>
      Effect.gen(function*() {
        const world = yield* Fixture.world
        const other = whose === "another tenant" ? world : yield* Fixture.world
        yield* TestClock.setTime(Math.max(world.at, other.at))
        let crowdTakes = slow
        let ofCrowd = 0
        const sent: Array<number> = []
        const cluster = yield* EngineNode.make(stores)
        const node = yield* cluster.start({
          shards: [...new Set([world.shard, other.shard, ...Array.from({ length: 64 }, (_, shard) => shard)])],
          members,
          vendors: () => [{
            _tag: "Vendor",
            key: "vendor",
            channel: "email",
            reaches: () => true,
            send: Effect.fnUntraced(function*({ profile }) {
              if (!`${profile["user_id"]}`.startsWith(`${crowd}`)) sent.push(yield* Clock.currentTimeMillis)
              else if (ofCrowd++ >= 0) yield* Effect.sleep(crowdTakes)
              return { reference: undefined }
            })
          }]
        })
        yield* cluster.settle
        const pass = Effect.fnUntraced(function*(ms: number, until = () => false) {
          for (let passed = 0; passed < ms && !until(); passed += 200) {
            yield* TestClock.adjust(200)
            yield* cluster.settle
          }
        })
        const expand = Effect.fnUntraced(function*({ scope, shard }: Fixture.World, list: string, tenantId: string) {
          const at = yield* Clock.currentTimeMillis
          const { id, instructions, keyState } = Fixture.message({ ...world, at })
          const recipients = [{ list_id: list, tenant_id: tenantId }]
          yield* node.expand({ id, scope, shard, keyState, recipients, instructions })
          return id
        })
        const ids = yield* Effect.forEach(
          Array.from({ length: campaigns }, (_, n) => `${crowd} of ${n}`),
          (list) => expand(world, list, "crowd")
        )
        yield* pass(head)
        const since = yield* Clock.currentTimeMillis
        yield* expand(other, `${few}`, "few")
        yield* pass(300_000, () => sent.length === few)
        assert.isAtMost((sent.at(-1) ?? Infinity) - since, 5_000)
        assert.lengthOf(sent, few)
        assert.isAtLeast(ofCrowd, 500, "the crowd is sent as well")

        yield* pass(10_000)
        const made = Effect.gen(function*() {
          const { find } = yield* cluster.expansions
          const found = yield* Effect.forEach(ids, (id) => find(world.scope, id))
          return found.reduce((sum, { messages }) => sum + messages, 0)
        })
        assert.isAtMost((yield* made) - ofCrowd, mostReady + 6 * pageSize)
        crowdTakes = 0
        yield* pass(60_000, () => ofCrowd === campaigns * crowd)
        assert.strictEqual(ofCrowd, campaigns * crowd)
      }).pipe(Effect.scoped, Effect.provide(memory.shared), Effect.provideService(PageSize, pageSize)),
    60_000
  )
})
