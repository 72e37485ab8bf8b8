import type { MessageId } from "#schemas/MessageId.ts"
import type { Place } from "#src/delivery/Expansion.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { Member, Members } from "#src/people/Members.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { EngineStores } from "./EngineStores.ts"

const tick = 100

/** Members of two lists that overlap by half, in pages of the size that is asked for. */
const audience = (count: number): Members["Service"] => {
  const members: ReadonlyArray<Member> = ["left", "right"].flatMap((group, half) =>
    Array.from({ length: count }, (_, n) => ({
      group,
      userId: `u${String(n + half * Math.floor(count / 2)).padStart(6, "0")}`,
      listId: group
    }))
  )
  const behind = (after: Place["after"]) => (member: Member) =>
    after === undefined || member.group > after.group || (member.group === after.group && member.userId > after.userId)
  return {
    page: (_scope, _source, { after, limit }) => Effect.succeed(members.filter(behind(after)).slice(0, limit)),
    exists: () => Effect.succeed(true)
  }
}

const people = (count: number): number => count + Math.floor(count / 2)

interface Story {
  readonly members: Members["Service"]
  /** Before or after which writes of the expansion its owner dies: the how-manieth, over all lives. */
  readonly deaths: ReadonlyMap<number, "before" | "after">
  /** Whether another owner takes the shard at that write, instead of a death. */
  readonly robbed?: ReadonlySet<number>
  /** How often it is told that there is no room for a page of rows, over all lives. */
  readonly full?: number
}

/** One request to many in a cluster whose owners die at its commits; all messages are for one shard. */
const live = <S>(stores: EngineStores<S>, { deaths, full = 0, members, robbed = new Set() }: Story) =>
  Effect.gen(function*() {
    const place = yield* EngineNode.place
    const { at } = place
    const shards = Array.from({ length: 64 }, (_, shard) => shard).concat(place.shard)
    let asked = 0
    const isBacklogged = () => Effect.sync(() => asked++ < full)
    const cluster = yield* EngineNode.make(
      Layer.effect(Expansions, Effect.map(Expansions, (expansions) => ({ ...expansions, isBacklogged }))).pipe(
        Layer.provideMerge(stores.node)
      )
    )
    const calls = new Map<string, number>()
    const vendor: Vendor = {
      _tag: "Vendor",
      key: "ledger",
      channel: "email",
      reaches: () => true,
      send: ({ messageId }) =>
        Effect.sync(() => {
          calls.set(messageId, (calls.get(messageId) ?? 0) + 1)
          return { reference: undefined }
        })
    }
    let writes = 0
    const begun: Array<number> = []
    let rob = false
    const born = cluster.start({
      shards,
      members,
      vendors: () => [vendor],
      cutPage: ({ intents = [], page }) => {
        const write = writes++
        if (page !== undefined) begun.push(intents.length)
        rob ||= robbed.has(write)
        return deaths.get(write)
      }
    })
    let node = yield* born
    yield* cluster.settle
    const id: MessageId = Fixture.id(at)
    yield* node.expand({
      id,
      scope: place.scope,
      shard: place.shard,
      keyState: "published",
      recipients: [{ list_pattern: "*" }],
      instructions: { content: { title: "Hello", body: "World" } }
    })
    const expansions = yield* cluster.expansions
    const state = Effect.map(expansions.find(place.scope, id), (found) => found)
    let now = yield* state
    for (let turns = 0; turns < 4_000; turns++) {
      yield* TestClock.adjust(tick)
      yield* cluster.settle
      if (node.isDead() || rob) {
        rob = false
        node = yield* born
        yield* cluster.settle
      }
      now = yield* state
      const { next, open } = yield* cluster.due(shards)
      // A call whose outcome died with its owner is tried again later.
      if (now.state !== "RUNNING" && open === 0 && next === undefined) break
    }
    const log = yield* MessageLog
    const { items } = yield* log.list(place.scope, { ...Fixture.anything, traceId: id, limit: 10_000 })
    const repeated = items.filter(({ id }) => (calls.get(id) ?? 0) > 1)
    const unmarked = yield* Effect.filter(
      repeated,
      ({ id }) =>
        Effect.map(log.attempts(place.scope, id), (attempts) => attempts.every(({ state }) => state !== "unknown"))
    )
    return { end: now, items, calls, unmarked, writes, begun }
  }).pipe(Effect.scoped)

type Life = Effect.Success<ReturnType<typeof live>>

const assertWhole = ({ calls, end, items, unmarked }: Life, expected: number) => {
  assert.deepStrictEqual([end.state, end.messages], ["COMPLETED", expected])
  assert.strictEqual(new Set(items.map(({ recipient }) => recipient)).size, expected, "everyone has a message")
  assert.strictEqual(items.length, expected, "and one only")
  assert.deepStrictEqual([...new Set(items.map(({ status }) => status))], ["SENT"])
  assert.isTrue(items.every(({ id }) => calls.has(id)), "each was handed over")
  assert.deepStrictEqual(unmarked, [], "and again only where the outcome was unknown")
}

/** Requests to many on the real engine in virtual time, whose owners die. */
export const suite = <S>(stores: EngineStores<S>) =>
  layer(stores.shared, { timeout: 120_000 })(`expansions of a dying node: ${stores.name}`, (it) => {
    for (const where of ["before", "after"] as const) {
      it.effect(
        `A6: a death ${where} every write in turn loses nobody and repeats nobody`,
        () =>
          Effect.gen(function*() {
            const count = 700
            const calm = yield* live(stores, { members: audience(count), deaths: new Map() })
            assertWhole(calm, people(count))
            for (let write = 0; write < calm.writes; write++) {
              assertWhole(
                yield* live(stores, { members: audience(count), deaths: new Map([[write, where]]) }),
                people(count)
              )
            }
          }),
        240_000
      )
    }

    it.effect(
      "P2: an owner that was robbed in the middle makes no page more, and the new one goes on from its place",
      () =>
        Effect.gen(function*() {
          const count = 700
          const life = yield* live(stores, { members: audience(count), deaths: new Map(), robbed: new Set([1, 3]) })
          assertWhole(life, people(count))
        }),
      120_000
    )

    it.effect(
      "members are begun with their page, and those of a page that its owner died of are rows, to be found out one by one",
      () =>
        Effect.gen(function*() {
          const calm = yield* live(stores, { members: audience(10), deaths: new Map() })
          assert.deepStrictEqual(calm.begun, [15])
          const life = yield* live(stores, { members: audience(700), deaths: new Map([[1, "before"]]) })
          assertWhole(life, people(700))
          const [first, again] = life.begun
          assert.isAbove(first ?? 0, 0)
          assert.strictEqual(again, 0)
        }),
      120_000
    )

    it.effect.each(["before", "after"] as const)(
      "A6: a death %s the write that says that a page waits for room loses nobody, and a wait is no try",
      (where) =>
        Effect.gen(function*() {
          // In each life a try begins, and its page, which is rows since the first life, has no room.
          const waits = where === "before" ? [3] : [3, 5, 7, 9, 11, 13]
          const life = yield* live(stores, {
            members: audience(10),
            full: 8,
            deaths: new Map([[1, "before"], ...waits.map((write) => [write, where] as const)])
          })
          assertWhole(life, 15)
          assert.deepStrictEqual(life.begun, [15, 0])
        }),
      120_000
    )

    it.effect(
      "they are rows also where the store was away meanwhile, and the page was made anew",
      () =>
        Effect.gen(function*() {
          let asked = 0
          const { exists, page } = audience(10)
          const flaky: Members["Service"] = {
            exists,
            page: (...asking) =>
              ++asked === 2 ? Effect.fail(new StoreUnavailable({ cause: "planted" })) : page(...asking)
          }
          const life = yield* live(stores, { members: flaky, deaths: new Map([[1, "before"]]) })
          assertWhole(life, 15)
          assert.deepStrictEqual(life.begun, [15, 0])
        }),
      120_000
    )

    it.effect(
      "an expansion that kills its owner at every try is set aside after five, and what follows it goes on",
      () =>
        Effect.gen(function*() {
          const life = yield* live(stores, {
            members: audience(10),
            // Each try begins with a write of its own, and dies at its page.
            deaths: new Map([1, 3, 5, 7, 9, 11].map((write) => [write, "before"]))
          })
          assert.strictEqual(life.end.state, "FAILED")
          assert.deepStrictEqual(life.items, [])
        }),
      120_000
    )

    it.effect(
      "a page that cannot be made is tried five times, further and further apart, then set aside with its reason",
      () =>
        Effect.gen(function*() {
          let asked = 0
          const life = yield* live(stores, {
            members: { page: () => Effect.die(`planted ${++asked}`), exists: () => Effect.succeed(true) },
            deaths: new Map()
          })
          assert.deepStrictEqual([life.end.state, asked], ["FAILED", 5])
          assert.include(life.end.error ?? "", "Quarantined")
        }),
      120_000
    )

    it.effect.prop(
      "A6: deaths at any writes, in any number below the quarantine, lose nobody and repeat nobody",
      {
        deaths: Schema.Array(Schema.Struct({
          write: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
          where: Schema.Literals(["before", "after"])
        })).check(Schema.isMaxLength(4))
      },
      ({ deaths }) =>
        Effect.gen(function*() {
          const story = { members: audience(700), deaths: new Map(deaths.map(({ where, write }) => [write, where])) }
          assertWhole(yield* live(stores, story), people(700))
        }),
      { timeout: 240_000, arbitrary: { runs: Math.min(stores.runs, 4) } }
    )
  })
