import type { Recipient } from "#schemas/Recipient.ts"
import { PageSize } from "#src/delivery/expansion/Paging.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { Members } from "#src/people/Members.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const members: Members["Service"] = {
  exists: () => Effect.succeed(true),
  page: (_, source, { after }) => {
    const list = source._tag === "List" ? source.id : ""
    return Effect.succeed(after === undefined ? [{ group: list, userId: `of-${list}`, listId: list }] : [])
  }
}

/** A node that takes requests to many; `sent`: when each user's message went out. */
const running = Effect.fnUntraced(function*(among: Members["Service"]) {
  const world = yield* Fixture.world
  yield* TestClock.setTime(world.at)
  const cluster = yield* EngineNode.make(memory.node)
  const sent = new Map<unknown, number>()
  const node = yield* cluster.start({
    shards: [world.shard, ...Array.from({ length: 64 }, (_, shard) => shard)],
    members: among,
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
  return { sent, expand, pass: Effect.andThen(TestClock.adjust("200 millis"), cluster.settle) }
})

describe("Expansions by turns", () => {
  it.effect(
    "requests whose members cannot be read do not keep those behind them waiting, and go on once they can be read",
    () =>
      Effect.gen(function*() {
        let isSlow = true
        const { expand, pass, sent } = yield* running({
          ...members,
          page: (scope, source, options) =>
            isSlow && source._tag === "List" && source.id.startsWith("huge")
              ? Effect.fail(new StoreUnavailable({ cause: "a statement took too long" }))
              : members.page(scope, source, options)
        })
        const huge = Array.from({ length: 20 }, (_, n) => `huge ${n}`)
        for (const list of [...huge, "small"]) yield* expand([{ list_id: list }])
        for (let turns = 0; turns < 600; turns++) yield* pass
        assert.deepStrictEqual([...sent.keys()], ["of-small"])
        isSlow = false
        for (let turns = 0; turns < 50; turns++) yield* pass
        assert.sameMembers([...sent.keys()], ["of-small", ...huge.map((list) => `of-${list}`)])
      }).pipe(Effect.scoped, Effect.provide(memory.shared)),
    60_000
  )

  it.effect(
    "the recipients that a request names are parsed for its turns, and not for each of its pages",
    () =>
      Effect.gen(function*() {
        const { expand, pass, sent } = yield* running(members)
        const parse = vi.spyOn(JSON, "parse")
        yield* expand(Array.from({ length: 2_000 }, (_, n) => ({ user_id: `named ${n}` })))
        for (let turns = 0; turns < 500 && sent.size < 2_000; turns++) yield* pass
        assert.strictEqual(sent.size, 2_000)
        const parsed = parse.mock.calls.filter(([text]) => text.startsWith("[") && text.includes("named 1999")).length
        parse.mockRestore()
        assert.isAtMost(parsed, 3, "twenty pages")
      }).pipe(Effect.scoped, Effect.provide(memory.shared), Effect.provideService(PageSize, 100)),
    60_000
  )
})
