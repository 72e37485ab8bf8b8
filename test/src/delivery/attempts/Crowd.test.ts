import * as Crowd from "#src/delivery/attempts/Crowd.ts"
import * as Turns from "#src/fibers/Turns.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Schema } from "effect"

const Turn = Schema.Struct({
  lane: Schema.Literals(["transactional", "bulk", "brands"]),
  whose: Schema.Literals(["a", "b", "c"])
})
const up = (to: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: to }))

/** Somebody comes, or the one of this number leaves, who may have left before. */
const Change = Schema.Union([Schema.Struct({ turn: Turn, since: up(5) }), Schema.Struct({ leaves: up(5) })])
const changes = Schema.Array(Change).check(Schema.isMaxLength(40))

const turns = Turn.fields.lane.literals.flatMap((lane) => Turn.fields.whose.literals.map((whose) => ({ lane, whose })))

const waiterOf = (turn: Turns.Turn, since: number): Crowd.Waiter => ({ turn, since, makeRoom: () => {} })

const isOf = (one: Turns.Turn) => ({ turn: { lane, whose } }: Crowd.Waiter) => lane === one.lane && whose === one.whose

/** The crowd after these changes, and those who are left, in the order in which they came. */
const after = (all: typeof changes.Type) => {
  const crowd = Crowd.make()
  const came: Array<Crowd.Waiter> = []
  const left = new Set<Crowd.Waiter>()
  for (const change of all) {
    if ("turn" in change) {
      const waiter = waiterOf(change.turn, change.since)
      came.push(waiter)
      crowd.add(waiter)
    } else {
      const waiter = came[change.leaves]
      if (waiter === undefined) continue
      left.add(waiter)
      crowd.delete(waiter)
    }
  }
  return { crowd, waiting: came.filter((waiter) => !left.has(waiter)) }
}

describe("Those who wait at a rate gate", () => {
  it.effect.prop("are counted, by turn too; who is due for the shortest time is of the turn, or else of the lane", {
    changes
  }, ({ changes }) =>
    Effect.sync(() => {
      const { crowd, waiting } = after(changes)
      assert.strictEqual(crowd.total(), waiting.length)
      for (const turn of turns) {
        const own = waiting.filter(isOf(turn))
        assert.strictEqual(crowd.before(turn), own.length)
        const among = own.length > 0 ? own : waiting.filter((one) => one.turn.lane === turn.lane)
        const youngest = crowd.youngest(turn)
        assert.strictEqual(
          youngest?.since,
          among.length === 0 ? undefined : Math.max(...among.map(({ since }) => since))
        )
        assert.isTrue(youngest === undefined || among.includes(youngest))
      }
    }))

  it.effect.prop("pass before one that comes now in no greater number than is said", { changes, turn: Turn }, ({
    changes,
    turn
  }) =>
    Effect.gen(function*() {
      const { crowd, waiting } = after(changes)
      const { inTurn } = Turns.make(1)
      const opened = Latch.makeUnsafe()
      const passed: Array<Crowd.Waiter> = []
      const comes = (waiter: Crowd.Waiter) =>
        Effect.forkChild(inTurn(waiter.turn)(Effect.sync(() => passed.push(waiter))), { startImmediately: true })
      yield* Effect.forkChild(inTurn({ lane: "bulk", whose: "a" })(opened.await), { startImmediately: true })
      const last = waiterOf(turn, 0)
      const fibers = yield* Effect.forEach([...waiting, last], comes)
      yield* opened.open
      yield* Fiber.joinAll(fibers)
      assert.isAtMost(passed.indexOf(last), crowd.ahead(turn))
      assert.isAtMost(crowd.ahead(turn), waiting.length)
    }))

  it("are taken to pass by turns: a turn of each lane, and in its lane of each whose, for each before it", () => {
    const crowd = Crowd.make()
    const add = (lane: string, whose: string, times: number) => {
      const waiters = Array.from({ length: times }, () => waiterOf({ lane, whose }, 0))
      for (const waiter of waiters) crowd.add(waiter)
      return waiters
    }
    const ahead = (lane: string, whose: string) => crowd.ahead({ lane, whose })
    assert.strictEqual(ahead("bulk", "a"), 0)
    add("bulk", "a", 1)
    add("bulk", "b", 5)
    assert.deepStrictEqual([ahead("bulk", "a"), ahead("bulk", "b"), ahead("bulk", "c")], [3, 6, 2])
    const others = add("transactional", "a", 9)
    assert.deepStrictEqual([ahead("bulk", "a"), ahead("bulk", "b"), ahead("bulk", "c")], [7, 15, 5])
    assert.deepStrictEqual([ahead("transactional", "b"), ahead("brands", "a")], [3, 2])
    for (const other of others) crowd.delete(other)
    assert.deepStrictEqual([ahead("bulk", "a"), ahead("bulk", "b"), ahead("bulk", "c")], [3, 6, 2])
  })

  it("lose one by one who leaves, however often it does", () => {
    const crowd = Crowd.make()
    const waiters = [1, 2, 3].map((since) => waiterOf({ lane: "bulk", whose: "a" }, since))
    for (const waiter of waiters) crowd.add(waiter)
    for (const waiter of waiters) {
      crowd.delete(waiter)
      crowd.delete(waiter)
      assert.strictEqual(crowd.total(), 3 - waiter.since)
    }
  })
})
