import type { NewMessage } from "#src/delivery/Journal.ts"
import type { Delivery, Vendor } from "#src/delivery/Provider.ts"
import { maxTries } from "#src/delivery/shards/Quarantine.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { EngineStores } from "./EngineStores.ts"

const tick = 50

/** A send of a story: to whom, in which lane, how long its provider takes, and how long after the send before. In ticks. */
const Send = Schema.Struct({
  recipient: Schema.Literals(["ada", "bob", "cleo"]),
  lane: Schema.Literals(["transactional", "bulk"]),
  takes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
  after: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  /** Whether the owner is made to look at its rows just before. */
  stir: Schema.Boolean,
  /** What happens before it. */
  before: Schema.Literals(["nothing", "nothing", "nothing", "other owner", "death"])
})
type Send = typeof Send.Type

/** The provider's ledger: first calls of a message count for order, all for duplicates. */
const ledger = (takes: (delivery: Delivery) => number) => {
  const calls: Array<{ readonly id: string; readonly attempt: number }> = []
  const vendor: Vendor = {
    _tag: "Vendor",
    key: "ledger",
    channel: "email",
    reaches: () => true,
    send: (delivery) =>
      Effect.suspend(() => {
        calls.push({ id: delivery.messageId, attempt: delivery.attempt })
        const wait = takes(delivery)
        return Effect.as(wait === 0 ? Effect.void : Effect.sleep(wait), { reference: undefined })
      })
  }
  return { calls, vendor }
}

/** Sends one after the other to a cluster whose nodes die and rob each other, then lets everything end. */
const live = <S>(stores: EngineStores<S>, sends: ReadonlyArray<Send>) =>
  Effect.gen(function*() {
    const place = yield* EngineNode.place
    const shards = [place.shard]
    const cluster = yield* EngineNode.make(stores.node)
    const slow = new Map<string, number>()
    const { calls, vendor } = ledger(({ messageId }) => (slow.get(messageId) ?? 0) * tick)
    let answers = 0
    const born = cluster.start({ shards, vendors: () => [vendor], lag: () => (answers++ * 7) % 4 })
    const pass = (ticks: number) =>
      Effect.gen(function*() {
        for (let n = 0; n < ticks; n++) {
          yield* TestClock.adjust(tick)
          yield* cluster.settle
        }
      })

    let nodes = [yield* born]
    yield* cluster.settle
    const sent: Array<NewMessage> = []
    let owners = 1
    const ownersBefore = new Map<string, number>()
    for (const { after, before, lane, recipient, stir, takes } of sends) {
      yield* pass(after)
      if (before === "other owner") nodes = [yield* born, ...nodes]
      if (before === "death") {
        for (const node of nodes) node.die()
        nodes = [yield* born]
      }
      if (before !== "nothing") owners++
      const now = yield* Clock.currentTimeMillis
      const message = Fixture.message({ ...place, at: now }, {
        recipientKey: `${place.scope}:${recipient}`,
        recipient: { email: recipient },
        // Somebody may be in several tenants, whose turns must not change the order.
        tenantId: [undefined, "x", "y"][sent.length % 3],
        lane
      })
      slow.set(message.id, takes)
      sent.push(message)
      ownersBefore.set(message.id, owners)
      const door = nodes[sent.length % nodes.length]
      // The owner may be looking at its rows, and still be when the next one comes.
      if (stir) yield* door?.wake ?? Effect.void
      yield* door?.accept(message) ?? Effect.void
      if (nodes.length > 1) {
        for (const node of nodes) yield* node.wake
        yield* cluster.settle
      }
    }
    let left = yield* cluster.due(shards)
    for (let turns = 0; turns < 1_000 && (left.open > 0 || left.next !== undefined); turns++) {
      yield* pass(left.open > 0 ? 1 : 20)
      left = yield* cluster.due(shards)
    }
    assert.deepStrictEqual(left, { open: 0, next: undefined }, "nothing stays open")
    const log = yield* MessageLog
    const ends = yield* Effect.forEach(sent, ({ id }) =>
      Effect.all({ record: log.get(place.scope, id), attempts: log.attempts(place.scope, id) }))
    /** How many owners that came after it may have found a message open. */
    const takeOvers = (id: string) =>
      owners - (ownersBefore.get(id) ?? 0)
    return { sent, calls, ends, takeOvers }
  }).pipe(Effect.scoped)

type Life = Effect.Success<ReturnType<typeof live>>

/**
 * First attempts in the order of acceptance, per recipient and lane. One whose node died between its intent and its call has had its first
 * attempt, of which nobody knows, and is retried: those may be overtaken.
 */
const assertOrder = ({ calls, sent }: Life) => {
  const first = calls.filter(({ attempt }) => attempt === 1).map(({ id }) => id)
  const groups = Map.groupBy(sent, ({ lane, recipientKey }) => `${recipientKey} ${lane}`)
  for (const [group, messages] of groups) {
    const ids = messages.map(({ id }) => id as string).filter((id) => first.includes(id))
    assert.deepStrictEqual(first.filter((id) => ids.includes(id)), ids, group)
  }
}

/** X1: who was at work in so many deaths is quarantined, whoever's fault they were. */
const isQuarantined = ({ error, status }: Life["ends"][number]["record"]) =>
  status === "UNDELIVERABLE" && error?.startsWith("Quarantined") === true

const assertOnce = ({ calls, ends, takeOvers }: Life) => {
  for (const { attempts, record } of ends) {
    const mine = calls.filter(({ id }) => id === record.id)
    const quarantined = isQuarantined(record)
    if (quarantined) assert.isAtLeast(takeOvers(record.id), maxTries)
    else assert.strictEqual(record.status, "SENT", record.error)
    assert.strictEqual(new Set(mine.map(({ attempt }) => attempt)).size, mine.length, "an attempt is called once")
    const unknown = attempts.filter(({ state }) => state === "unknown").length
    assert.isAtMost(mine.length, 1 + unknown, "repeated only where the outcome was unknown")
    assert.lengthOf(attempts.filter(({ state }) => state === "accepted"), quarantined ? 0 : 1)
  }
}

const calm = (recipient: Send["recipient"], takes = 0): Send => ({
  recipient,
  lane: "transactional",
  takes,
  after: 0,
  stir: false,
  before: "nothing"
})

/** Order and ownership on the real engine in virtual time. */
export const suite = <S>(stores: EngineStores<S>) =>
  layer(stores.shared, { timeout: 60_000 })(`engine: ${stores.name}`, (it) => {
    describe("order and ownership", () => {
      it.effect.prop(
        "P2, P3: whoever owns the shard, first attempts are in order and calls repeat only after an unknown outcome",
        { sends: Schema.Array(Send).check(Schema.isMinLength(1), Schema.isMaxLength(25)) },
        ({ sends }) =>
          Effect.gen(function*() {
            const life = yield* live(stores, sends)
            assertOrder(life)
            assertOnce(life)
          }),
        { timeout: 240_000, arbitrary: { runs: stores.runs } }
      )

      it.effect("P3: what comes while a new owner reads what it found keeps its place", () =>
        Effect.gen(function*() {
          const sends = Array.from({ length: 60 }, (_, n): Send => ({
            ...calm("ada", n % 3),
            stir: n % 2 === 0,
            before: n % 5 === 0 ? "death" : "nothing"
          }))
          const life = yield* live(stores, sends)
          assertOrder(life)
          assertOnce(life)
        }), 120_000)

      it.effect("P3: a mailbox that overflows keeps the order", () =>
        Effect.gen(function*() {
          const life = yield* live(
            stores,
            Array.from(
              { length: 150 },
              (_, n): Send => ({ ...calm(n % 3 === 0 ? "bob" : "ada", 1), after: n % 9 === 8 ? 3 : 0 })
            )
          )
          assertOrder(life)
          assertOnce(life)
          assert.strictEqual(life.calls.length, 150)
        }), 120_000)

      it.effect(
        "P2: an owner that was robbed in the middle of a call does not settle it, and nothing is called twice unmarked",
        () =>
          Effect.gen(function*() {
            const life = yield* live(stores, [
              calm("ada", 6),
              // A tick later: the call for ada has begun, and is robbed rather than forestalled.
              { ...calm("bob", 6), after: 1, before: "other owner" },
              calm("ada"),
              calm("cleo")
            ])
            assertOnce(life)
            const [robbed] = life.ends
            const states = robbed?.attempts.map(({ state }) => state) ?? []
            assert.strictEqual(states[0], "unknown")
            assert.isTrue(states.slice(0, -1).every((state) => state === "unknown"))
          }),
        60_000
      )
    })
  })
