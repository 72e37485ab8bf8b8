import { encodePlace, start } from "#src/delivery/Expansion.ts"
import { mostOpenings } from "#src/delivery/expansion/Room.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { members, pass, running, stores } from "./OneOwner.ts"

const away = new StoreUnavailable({ cause: "planted" })

layer(stores)("The owner of requests to many", (it) => {
  it.effect("A5: a request of which nobody told is found within a minute, and one that waits is taken when it is due", () =>
    Effect.gen(function*() {
      let isBroken = true
      const { accept, advances, state } = yield* running({
        among: { ...members, page: (...asked) => isBroken ? Effect.die("planted") : members.page(...asked) }
      })
      // Ten seconds after a shard is taken, it is read once more.
      yield* pass(15_000)
      const id = yield* accept(3)
      yield* pass(54_000)
      assert.deepStrictEqual(advances, [])
      yield* pass(1_000)
      assert.isNotEmpty(advances)
      isBroken = false
      yield* pass(9_000)
      assert.deepStrictEqual(yield* state(id), ["RUNNING", 0])
      yield* pass(1_000)
      assert.deepStrictEqual(yield* state(id), ["COMPLETED", 3])
    }))

  it.effect("a large request gives way after 8,000 messages, and makes a page while the one before is written", () =>
    Effect.gen(function*() {
      let written = 0
      const asked: Array<number> = []
      const { accept, advances, behind, state } = yield* running({
        among: { ...members, page: (...asking) => (asked.push(written), members.page(...asking)) },
        before: {
          advance: ({ page }) => Effect.andThen(Effect.sleep(10), Effect.sync(() => page === undefined || written++))
        }
      })
      const large = yield* accept(20_000)
      yield* pass(100)
      const small = yield* accept(1)
      behind()
      yield* pass(10_000)
      assert.deepStrictEqual([yield* state(large), yield* state(small)], [["COMPLETED", 20_000], ["COMPLETED", 1]])
      const pages = advances.filter(({ page }) => page !== undefined).map(({ expansion }) => expansion.id)
      const turn = Math.ceil(8_000 / mostOpenings)
      assert.strictEqual(pages.indexOf(small), turn)
      assert.deepStrictEqual(asked.slice(0, turn), [0, ...Array.from({ length: turn - 1 }, (_, n) => n)])
    }))

  it.effect("a turn that crashes ends for a second; others go on", () =>
    Effect.gen(function*() {
      let bad: unknown
      const { accept, advances, behind, state } = yield* running({
        before: { advance: ({ expansion }) => expansion.id === bad ? Effect.die("planted") : Effect.void }
      })
      const [first, second] = [yield* accept(1), yield* accept(2)]
      bad = first
      behind()
      yield* pass(10_000)
      assert.deepStrictEqual([yield* state(first), yield* state(second)], [["RUNNING", 0], ["COMPLETED", 2]])
      const tries = advances.filter(({ expansion }) => expansion.id === first).length
      assert.isTrue(tries >= 9 && tries <= 11, `${tries} tries`)
      bad = undefined
      yield* pass(1_000)
      assert.deepStrictEqual(yield* state(first), ["COMPLETED", 1])
    }))

  for (const [what, end] of [["is away", Effect.fail(away)], ["crashes", Effect.die("planted")]] as const) {
    it.effect(`while the store ${what} it is asked again every two seconds at most, and then all goes on`, () =>
      Effect.gen(function*() {
        let broken = true
        const { accept, behind, looks, state } = yield* running({
          before: { open: () => broken ? end : Effect.void }
        })
        const id = yield* accept(5)
        behind()
        yield* pass(20_000)
        assert.isTrue(looks() >= 10 && looks() <= 30, `${looks()} looks`)
        broken = false
        yield* pass(2_000)
        assert.deepStrictEqual(yield* state(id), ["COMPLETED", 5])
        const done = looks()
        yield* pass(50_000)
        assert.strictEqual(looks(), done, "nothing is asked while nothing is due")
      }))
  }

  it.effect("P2: an owner that another one robbed stops at its next write, and takes the shard no sooner than in 5 s", () =>
    Effect.gen(function*() {
      const { accept, advances, behind, journal, place, state } = yield* running()
      yield* journal.take(place.shard, "other", place.at)
      const id = yield* accept(5)
      behind()
      yield* pass(4_000)
      assert.strictEqual(advances.length, 1)
      yield* pass(2_000)
      assert.deepStrictEqual(yield* state(id), ["COMPLETED", 5])
    }))

  it.effect("a shard is handed over when what is under way of a request is written, and no page more is made", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const { accept, advances, behind, owning, state } = yield* running({
        before: { advance: ({ page }) => page === undefined ? Effect.void : Deferred.await(go) }
      })
      const id = yield* accept(5_000)
      behind()
      yield* pass(1_000)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(owning), { startImmediately: true })
      yield* pass(1_000)
      assert.isUndefined(leaving.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* pass(100)
      assert.isDefined(leaving.pollUnsafe())
      const written = advances.filter(({ page }) => page !== undefined).length
      assert.isAtMost(written, 2)
      assert.deepStrictEqual(yield* state(id), ["RUNNING", written * mostOpenings])
    }))

  it.effect("a node whose shards are gone sleeps, also when what it knew of comes due", () =>
    Effect.gen(function*() {
      const { accept, awake, behind, looks, owning, state } = yield* running({
        among: { ...members, page: () => Effect.die("planted") }
      })
      const id = yield* accept(1)
      behind()
      yield* pass(1_000)
      yield* Fiber.interrupt(owning)
      const [asked, woken] = [looks(), awake()]
      yield* pass(150_000)
      assert.deepStrictEqual(yield* state(id), ["RUNNING", 0])
      assert.strictEqual(looks(), asked)
      assert.isAtMost(awake() - woken, 4)
    }))

  it.effect("X1: after a try that failed, messages are stored before they begin: one may have killed its owner", () =>
    Effect.gen(function*() {
      for (const [tries, open] of [[0, 5], [1, 0]] as const) {
        const { accept, begun, behind, owned, place, state, stored } = yield* running()
        const [id, from] = [yield* accept(5), encodePlace(start)]
        yield* stored.advance({
          expansion: { id, scope: place.scope, shard: place.shard },
          owner: owned.find(place.shard)?.epoch ?? assert.fail("nobody owns the shard"),
          at: place.at,
          from,
          to: from,
          page: undefined,
          tries,
          epoch: 0,
          state: "RUNNING",
          dueAt: 0
        })
        behind()
        yield* pass(1_000)
        assert.deepStrictEqual(yield* state(id), ["COMPLETED", 5])
        assert.strictEqual(begun(), open)
      }
    }))

  it.effect("X1: from its fourth try on a request is made alone, also where that try has begun already", () =>
    Effect.gen(function*() {
      const cases = [[2, false, false], [3, false, true], [3, true, false], [4, true, true]] as const
      for (const [tries, begun, isAlone] of cases) {
        const { accept, behind, owned, place, state, stored, together } = yield* running()
        const [id, from] = [yield* accept(5), encodePlace(start)]
        const owner = owned.find(place.shard)?.epoch ?? assert.fail("nobody owns the shard")
        yield* stored.advance({
          expansion: { id, scope: place.scope, shard: place.shard },
          owner,
          at: place.at,
          from,
          to: from,
          page: undefined,
          tries,
          epoch: begun ? owner : 0,
          state: "RUNNING",
          dueAt: 0
        })
        const go = yield* Deferred.make<void>()
        yield* Effect.forkChild(together.among(Deferred.await(go)), { startImmediately: true })
        behind()
        yield* pass(1_000)
        assert.deepStrictEqual(yield* state(id), isAlone ? ["RUNNING", 0] : ["COMPLETED", 5])
        yield* Deferred.succeed(go, undefined)
        yield* pass(1_000)
        assert.deepStrictEqual(yield* state(id), ["COMPLETED", 5])
      }
    }))
})
