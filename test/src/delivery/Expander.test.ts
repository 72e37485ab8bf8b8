import type { Recipient } from "#schemas/Recipient.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { PageSize } from "#src/delivery/expansion/Paging.ts"
import type { Members } from "#src/people/Members.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const campaigns = 8
/** Lists of a campaign, each with one member: more than ten pages of them. */
const lists = 250

/** What is sent never comes down to where the next page may be made at once. */
const backlogged = Layer.effect(
  Expansions,
  Effect.map(Expansions, (expansions) => ({ ...expansions, isBacklogged: () => Effect.succeed(true) }))
).pipe(Layer.provideMerge(memory.node))

const members: Members["Service"] = {
  exists: () => Effect.succeed(true),
  page: (_, source, { after }) => {
    const list = source._tag === "List" ? source.id : ""
    return Effect.succeed(after === undefined ? [{ group: list, userId: `of-${list}`, listId: list }] : [])
  }
}

describe("Expansions by turns", () => {
  it.effect(
    "a request to a small list does not wait for the turns of many large ones while bulk is backlogged",
    () =>
      Effect.gen(function*() {
        const world = yield* Fixture.world
        yield* TestClock.setTime(world.at)
        const cluster = yield* EngineNode.make(backlogged)
        const sent = new Map<unknown, number>()
        const node = yield* cluster.start({
          shards: [world.shard, ...Array.from({ length: 64 }, (_, shard) => shard)],
          members,
          vendors: () => [{
            _tag: "Vendor",
            key: "vendor",
            channel: "email",
            reaches: () => true,
            send: ({ profile }) =>
              Effect.map(Clock.currentTimeMillis, (at) => {
                sent.set(profile["user_id"], at)
                return { reference: undefined }
              })
          }]
        })
        yield* cluster.settle
        const expand = Effect.fnUntraced(function*(recipients: ReadonlyArray<Recipient>) {
          const at = yield* Clock.currentTimeMillis
          const { id, instructions, keyState } = Fixture.message({ ...world, at })
          yield* node.expand({ id, scope: world.scope, shard: world.shard, keyState, recipients, instructions })
        })
        for (let campaign = 0; campaign < campaigns; campaign++) {
          yield* expand(Array.from({ length: lists }, (_, list) => ({ list_id: `${campaign}-${list}` })))
        }
        const pass = Effect.andThen(TestClock.adjust("200 millis"), cluster.settle)
        for (let turns = 0; turns < 50; turns++) yield* pass
        const since = yield* Clock.currentTimeMillis
        yield* expand([{ list_id: "small" }])
        for (let turns = 0; turns < 2_000 && !sent.has("of-small"); turns++) yield* pass
        assert.isBelow((sent.get("of-small") ?? Infinity) - since, 60_000)
      }).pipe(Effect.scoped, Effect.provide(memory.shared)),
    60_000
  )

  it.effect(
    "the recipients that a request names are parsed for its turns, and not for each of its pages",
    () =>
      Effect.gen(function*() {
        const world = yield* Fixture.world
        yield* TestClock.setTime(world.at)
        const cluster = yield* EngineNode.make(memory.node)
        const sent = new Set<unknown>()
        const node = yield* cluster.start({
          shards: [world.shard, ...Array.from({ length: 64 }, (_, shard) => shard)],
          members,
          vendors: () => [{
            _tag: "Vendor",
            key: "vendor",
            channel: "email",
            reaches: () => true,
            send: ({ profile }) =>
              Effect.sync(() => sent.add(profile["user_id"])).pipe(Effect.as({ reference: undefined }))
          }]
        })
        yield* cluster.settle
        const recipients = Array.from({ length: 2_000 }, (_, n) => ({ user_id: `named ${n}` }))
        const parse = vi.spyOn(JSON, "parse")
        const { id, instructions, keyState } = Fixture.message(world)
        yield* node.expand({ id, scope: world.scope, shard: world.shard, keyState, recipients, instructions })
        for (let turns = 0; turns < 500 && sent.size < 2_000; turns++) {
          yield* TestClock.adjust("200 millis")
          yield* cluster.settle
        }
        assert.strictEqual(sent.size, 2_000)
        const parsed = parse.mock.calls.filter(([text]) => text.startsWith("[") && text.includes("named 1999")).length
        parse.mockRestore()
        assert.isAtMost(parsed, 3, "twenty pages")
      }).pipe(Effect.scoped, Effect.provide(memory.shared), Effect.provideService(PageSize, 100)),
    60_000
  )
})
