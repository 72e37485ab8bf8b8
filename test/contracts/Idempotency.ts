import { CurrentKey, Idempotency, type IdempotencyKey, type StoredResponse } from "#src/access/Idempotency.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, type Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"

const count = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 16 }))

const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  const now = yield* Clock.currentTimeMillis
  const profiles = yield* Profiles
  const { once } = yield* Idempotency
  let runs = 0
  /** An operation that writes a profile and gives a response. */
  const writing = (response: StoredResponse) =>
    Effect.gen(function*() {
      runs++
      yield* profiles.replace(place.scope, Fixture.user, { by: response.body })
      return response
    })
  return {
    place,
    now,
    once,
    writing,
    key: (more: Partial<IdempotencyKey> = {}) => Fixture.key(place, { expiresAt: now + 60_000, ...more }),
    runs: () => runs,
    written: Effect.map(profiles.find(place.scope, Fixture.user), Option.getOrUndefined)
  }
})

/** Moves the clock on, a little at a time, until the fiber has ended. */
const untilDone = Effect.fnUntraced(function*<A, E>(fiber: Fiber.Fiber<A, E>) {
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("500 millis")
  return yield* Fiber.await(fiber)
})

/** What every store of idempotency keys promises (P5). */
/** `oneBackend`: transactions of the store queue for one backend, so an open one holds up the others by design (design.md §3). */
export const idempotencyContract = <E>(
  name: string,
  stores: Layer.Layer<Idempotency | Journal | Profiles, E>,
  { oneBackend = false }: { readonly oneBackend?: boolean } = {}
) =>
  layer(stores)(`Idempotency: ${name}`, (it) => {
    it.effect("P5: effect and response are stored together; a replay runs nothing and repeats the response byte for byte", () =>
      Effect.gen(function*() {
        const { key, once, runs, writing, written } = yield* start
        const first = {
          status: 201,
          body: "{\"é\":\"\\u0000\"} \r\n",
          headers: { "x-a": "\"'\\", "content-type": "text/plain" }
        }
        assert.deepStrictEqual(yield* once(key(), writing(first)), { response: first, replayed: false })
        assert.deepStrictEqual(yield* once(key({ bodyHash: "other" }), writing(Fixture.response("second"))), {
          response: first,
          replayed: true
        })
        assert.strictEqual(runs(), 1)
        assert.deepStrictEqual(yield* written, { by: first.body })
      }))

    for (const status of [400, 404, 409, 500]) {
      it.effect(`P5: a refusal (${status}) takes its writes back and is stored all the same`, () =>
        Effect.gen(function*() {
          const { key, once, runs, writing, written } = yield* start
          const refusal = Fixture.response("refused", status)
          assert.deepStrictEqual(yield* once(key(), writing(refusal)), { response: refusal, replayed: false })
          assert.isUndefined(yield* written)
          assert.deepStrictEqual(yield* once(key(), writing(Fixture.response("second"))), {
            response: refusal,
            replayed: true
          })
          assert.strictEqual(runs(), 1)
        }))
    }

    const endings: Record<string, Effect.Effect<never, StoreUnavailable>> = {
      failure: Effect.fail(new StoreUnavailable({ cause: "planted" })),
      defect: Effect.die("planted"),
      interruption: Effect.interrupt
    }
    for (const [how, ending] of Object.entries(endings)) {
      it.effect(`P5: a ${how} takes everything back, and the next call runs`, () =>
        Effect.gen(function*() {
          const { key, once, writing, written } = yield* start
          const broken = Effect.andThen(writing(Fixture.response("lost")), ending)
          // In a fiber of its own, since an interruption takes the one that it happens in.
          const exit = yield* Effect.flatMap(Effect.forkChild(once(key(), broken)), Fiber.await)
          assert.isTrue(Exit.isFailure(exit))
          assert.isUndefined(yield* written)
          const second = Fixture.response("second")
          assert.deepStrictEqual(yield* once(key(), writing(second)), { response: second, replayed: false })
          assert.deepStrictEqual(yield* written, { by: "second" })
        }))
    }

    for (const [how, ending] of Object.entries(endings)) {
      const then = how === "failure" ? "fails with it and does not run" : "runs in its place"
      it.effect(`P5: a call that waits for one which ends in a ${how} ${then}`, () =>
        Effect.gen(function*() {
          const { key, once, runs, writing, written } = yield* start
          const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const broken = writing(Fixture.response("lost")).pipe(
            Effect.andThen(Deferred.succeed(begun, undefined)),
            Effect.andThen(Deferred.await(go)),
            Effect.andThen(ending)
          )
          const first = yield* Effect.forkChild(once(key(), broken))
          yield* Deferred.await(begun)
          const waiting = once(key(), writing(Fixture.response("second")))
          const second = yield* Effect.forkChild(waiting, { startImmediately: true })
          yield* Deferred.succeed(go, undefined)
          assert.isTrue(Exit.isFailure(yield* Fiber.await(first)))
          const exit = yield* Fiber.await(second)
          if (how === "failure")
            assert.strictEqual(Option.getOrUndefined(Exit.findErrorOption(exit))?._tag, "StoreUnavailable")
          else assert.deepStrictEqual(exit, Exit.succeed({ response: Fixture.response("second"), replayed: false }))
          assert.strictEqual(runs(), how === "failure" ? 1 : 2)
          assert.deepStrictEqual(yield* written, how === "failure" ? undefined : { by: "second" })
        }))
    }

    it.effect.prop(
      "P5: of duplicates at once exactly one runs; the others wait for it and repeat it",
      { count },
      ({ count }) =>
        Effect.gen(function*() {
          const { key, once, runs, writing, written } = yield* start
          const answers = yield* Effect.forEach(
            Array.from({ length: count }, (_, n) => n),
            (n) => once(key(), Effect.andThen(Effect.yieldNow, writing(Fixture.response(`${n}`)))),
            { concurrency: "unbounded" }
          )
          const winner = answers.filter((answer) => !answer.replayed)
          assert.lengthOf(winner, 1)
          assert.strictEqual(runs(), 1)
          assert.deepStrictEqual(answers.map((answer) => answer.response), answers.map(() => winner[0]?.response))
          assert.deepStrictEqual(yield* written, { by: winner[0]?.response.body ?? "" })
        }),
      { arbitrary: { runs: 15 } }
    )

    it.effect("P5: what is found for a key is what was stored, until it expires, and found at once beside a call under way", () =>
      Effect.gen(function*() {
        const { key, once, writing } = yield* start
        const { find } = yield* Idempotency
        const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Deferred.await(go)),
          Effect.andThen(writing(Fixture.response("stored")))
        )
        const call = yield* Effect.forkChild(once(key(), slow))
        yield* Deferred.await(begun)
        if (!oneBackend) assert.deepStrictEqual(yield* find(key()), Option.none())
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(call)
        assert.deepStrictEqual(yield* find(key()), Option.some(Fixture.response("stored")))
        assert.deepStrictEqual(yield* find(key({ value: "another" })), Option.none())
        assert.deepStrictEqual(yield* find(key({ path: "/another" })), Option.none())
        yield* TestClock.adjust(59_999)
        assert.deepStrictEqual(yield* find(key()), Option.some(Fixture.response("stored")))
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* find(key()), Option.none())
      }))

    it.effect("a duplicate of a call that takes longer than 5 s is told so; the call itself goes on", () =>
      Effect.gen(function*() {
        const { key, once, runs, writing } = yield* start
        const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Deferred.await(go)),
          Effect.andThen(writing(Fixture.response("slow")))
        )
        const first = yield* Effect.forkChild(once(key(), slow))
        yield* Deferred.await(begun)
        const before = yield* Clock.currentTimeMillis
        const second = yield* Effect.forkChild(Effect.flip(once(key(), writing(Fixture.response("second")))))
        const exit = yield* untilDone(second)
        assert.isTrue(Exit.isSuccess(exit) && exit.value._tag === "StillRunning")
        assert.isAtLeast((yield* Clock.currentTimeMillis) - before, 5_000)
        yield* Deferred.succeed(go, undefined)
        assert.deepStrictEqual(yield* Fiber.join(first), { response: Fixture.response("slow"), replayed: false })
        assert.isTrue((yield* once(key(), writing(Fixture.response("third")))).replayed)
        assert.strictEqual(runs(), 1)
      }))

    it.effect.runIf(!oneBackend)("a slow call holds up no other key", () =>
      Effect.gen(function*() {
        const { key, once, writing } = yield* start
        const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Deferred.await(go)),
          Effect.as(Fixture.response("slow"))
        )
        const first = yield* Effect.forkChild(once(key(), slow))
        yield* Deferred.await(begun)
        assert.isFalse((yield* once(key({ path: "/other" }), writing(Fixture.response("quick")))).replayed)
        yield* Deferred.succeed(go, undefined)
        assert.strictEqual((yield* Fiber.join(first)).response.body, "slow")
      }))

    it.effect("P10: the same value in another scope or on another path is another key, of calls at once too", () =>
      Effect.gen(function*() {
        const { key, once, runs, writing } = yield* start
        const other = yield* start
        const keys = [key(), key({ path: "/x" }), key({ value: "ONCE" }), other.key()]
        const called = (word: string) =>
          Effect.forEach(
            keys,
            (own, n) => once(own, Effect.andThen(Effect.yieldNow, writing(Fixture.response(`${word} ${n}`)))),
            { concurrency: "unbounded" }
          )
        for (const replayed of [false, true]) {
          assert.deepStrictEqual(
            (yield* called(`${replayed}`)).map((answer) => [answer.response.body, answer.replayed]),
            keys.map((_, n) => [`false ${n}`, replayed])
          )
        }
        assert.strictEqual(runs(), keys.length)
      }))

    it.effect("P5: an expired key counts as absent, and is a key like any other once it is used again", () =>
      Effect.gen(function*() {
        const { key, now, once, writing } = yield* start
        yield* once(key({ expiresAt: now + 10 }), writing(Fixture.response("first")))
        yield* TestClock.adjust("9 millis")
        assert.isTrue((yield* once(key(), writing(Fixture.response("early")))).replayed)
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* once(key(), writing(Fixture.response("second"))), {
          response: Fixture.response("second"),
          replayed: false
        })
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* once(key(), writing(Fixture.response("third"))), {
          response: Fixture.response("second"),
          replayed: true
        })
      }))

    it.effect("the operation does not see the key, so nothing inside stores it a second time", () =>
      Effect.gen(function*() {
        const { key, once } = yield* start
        const seen = yield* once(key(), Effect.map(CurrentKey, (current) => Fixture.response(`${current?.value}`)))
          .pipe(
            Effect.provideService(CurrentKey, key())
          )
        assert.strictEqual(seen.response.body, "undefined")
      }))

    it.effect("P5: keys that the journal stored are the same keys", () =>
      Effect.gen(function*() {
        const { key, now, once, place, runs, writing } = yield* start
        const journal = yield* Journal
        const accept = (body: string, own: IdempotencyKey) =>
          journal.accept(Fixture.acceptance(place, [], { key: own, response: Fixture.response(body), at: now }))
        yield* accept("journal", key())
        assert.deepStrictEqual(yield* once(key(), writing(Fixture.response("once"))), {
          response: Fixture.response("journal"),
          replayed: true
        })
        yield* once(key({ path: "/other" }), writing(Fixture.response("once")))
        assert.deepStrictEqual(yield* accept("journal", key({ path: "/other" })), {
          response: Fixture.response("once"),
          replayed: true
        })
        assert.strictEqual(runs(), 1)
      }))

    it.effect("a sweep deletes expired keys only, a bounded number at a time, and counts them", () =>
      Effect.gen(function*() {
        const { key, now, once, writing } = yield* start
        const { sweep } = yield* Idempotency
        yield* sweep(100_000)
        yield* Effect.forEach(
          [1, 2, 3, 4, 5],
          (n) => once(key({ value: `${n}`, expiresAt: now + 10 }), writing(Fixture.response(`${n}`)))
        )
        yield* once(key({ value: "live", expiresAt: now + 11 }), writing(Fixture.response("live")))
        assert.strictEqual(yield* sweep(100), 0)
        yield* TestClock.adjust("10 millis")
        assert.deepStrictEqual([yield* sweep(2), yield* sweep(100), yield* sweep(100)], [2, 3, 0])
        assert.isTrue((yield* once(key({ value: "live" }), writing(Fixture.response("again")))).replayed)
      }))
  })
