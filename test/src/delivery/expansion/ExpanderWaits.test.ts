import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { members, pass, running, stores } from "./OneOwner.ts"

layer(stores)("Requests to many that wait for room", (it) => {
  it.effect("a request whose turn is full makes its next page once, waits for a second at a time, and counts no try", () =>
    Effect.gen(function*() {
      let isFull = true
      let read = 0
      const { accept, advances, behind, looks, place, state, stored } = yield* running({
        among: { ...members, page: (...asked) => (read++, members.page(...asked)) },
        isBacklogged: () => isFull
      })
      const id = yield* accept(3)
      behind()
      yield* pass(60_000)
      assert.strictEqual(read, 1)
      assert.isTrue(advances.length >= 60 && advances.length <= 62, `${advances.length} writes`)
      assert.isAtMost(looks(), 125)
      const { rows } = yield* stored.open([place.shard], Infinity, 1)
      assert.deepStrictEqual(rows.map(({ epoch, tries }) => [tries, epoch]), [[0, 0]])
      isFull = false
      yield* pass(1_000)
      assert.deepStrictEqual(yield* state(id), ["COMPLETED", 3])
      const done = looks()
      yield* pass(50_000)
      assert.strictEqual(looks(), done, "nothing is asked while nothing waits")
    }))

  it.effect("of many requests that wait for one turn about one comes in a second, and each every ten", () =>
    Effect.gen(function*() {
      let isFull = true
      const { accept, advances, behind, state } = yield* running({ isBacklogged: () => isFull })
      const ids = yield* Effect.forEach(Array.from({ length: 10 }, (_, n) => n + 1), accept)
      behind()
      yield* pass(20_000)
      const before = advances.length
      yield* pass(60_000)
      const came = advances.slice(before).map(({ expansion }) => expansion.id)
      assert.isTrue(came.length >= 50 && came.length <= 70, `${came.length} writes`)
      assert.sameMembers([...new Set(came)], ids)
      isFull = false
      yield* pass(11_000)
      for (const [n, id] of ids.entries()) assert.deepStrictEqual(yield* state(id), ["COMPLETED", n + 1])
    }))
})
