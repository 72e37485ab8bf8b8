import {
  ContentRejected,
  type DeliveryError,
  Misconfigured,
  RateLimited,
  RecipientRejected,
  Unavailable,
  Unknown
} from "#schemas/DeliveryError.ts"
import * as Breakers from "#src/delivery/attempts/Breakers.ts"
import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Scheduler } from "effect"
import { TestClock } from "effect/testing"

const breakers = Layer.provide(Breakers.layer, RateGates.layer)

const detail = "down"
const failing = Effect.fail(new Unavailable({ detail }))

/** What a call may say of its provider. */
const sick: Readonly<Record<string, Effect.Effect<void, DeliveryError>>> = {
  Unavailable: failing,
  RateLimited: Effect.fail(new RateLimited({ detail })),
  Unknown: Effect.fail(new Unknown({ detail })),
  "a bug of its adapter": Effect.die("bug")
}
const well: Readonly<Record<string, Effect.Effect<void, DeliveryError>>> = {
  "an acceptance": Effect.void,
  RecipientRejected: Effect.fail(new RecipientRejected({ detail })),
  "a recipient's full mailbox": Effect.fail(new Unavailable({ detail, ofRecipient: true, retryAfter: 60_000 })),
  "a recipient's own limit": Effect.fail(new RateLimited({ detail, ofRecipient: true, retryAfter: 60_000 })),
  ContentRejected: Effect.fail(new ContentRejected({ detail })),
  Misconfigured: Effect.fail(new Misconfigured({ detail }))
}

/** Makes a call if it is let in. It passed the rate gate after all that were refused, though the clock stands still. */
const guard = (key: string, call: Effect.Effect<void, DeliveryError>) =>
  Effect.flatMap(
    Breakers.Breakers,
    ({ admit }) =>
      admit(key, (watch) =>
        Effect.flatMap(Clock.monotonicTimeNanos, (now) => watch(Effect.as(call, "made"), now + 1_000_000n)))
  )

/** Asks for a call so often: how many were made, the last answer, and for how many ms the provider is left alone. */
const ask = Effect.fnUntraced(function*(call: Effect.Effect<void, DeliveryError>, times = 1) {
  const { openUntil } = yield* Breakers.Breakers
  let made = 0
  const counted = Effect.suspend(() => {
    made++
    return call
  })
  for (let time = 1; time < times; time++) yield* Effect.exit(guard("key", counted))
  const answer = yield* Effect.exit(guard("key", counted))
  const now = yield* Clock.currentTimeMillis
  return { made, answer, wait: (openUntil("key") ?? now) - now }
})

/** The answer for a call that is not made. */
const leftAlone = Exit.succeed(undefined)

describe("Breakers", () => {
  for (const away of ["1 minute", "1 day"] as const) {
    it.effect(`a provider that answers again after ${away} is no longer left alone`, () =>
      Effect.gen(function*() {
        const { openUntil } = yield* Breakers.Breakers
        yield* TestClock.adjust(1)
        for (let call = 0; call < 6; call++) yield* Effect.exit(guard("key", failing))
        yield* TestClock.adjust(1)
        assert.isDefined(openUntil("key"))
        yield* TestClock.adjust(away)
        yield* guard("key", Effect.void)
        yield* TestClock.adjust(1)
        assert.isUndefined(openUntil("key"))
      }).pipe(Effect.provide(breakers)))
  }

  it.effect("a provider is left alone no longer where the clock is set back meanwhile", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("1 hour")
      yield* ask(failing, 5)
      yield* TestClock.setTime(0)
      assert.strictEqual((yield* ask(Effect.void)).wait, 30_000)
      yield* TestClock.adjust(30_000)
      assert.strictEqual((yield* ask(Effect.void)).made, 1)
    }).pipe(Effect.provide(breakers)))

  it.effect("while one call finds out, the others are told when to look again; if it is cut, the next one finds out", () =>
    Effect.gen(function*() {
      const { openUntil } = yield* Breakers.Breakers
      yield* TestClock.adjust(1)
      for (let call = 0; call < 6; call++) yield* Effect.exit(guard("key", failing))
      yield* TestClock.adjust("1 minute")
      const asking = yield* Effect.forkChild(guard("key", Effect.never))
      for (const [after, wait] of [[1_000, 5_000], [9_000, 10_000], [20_000, 30_000]] as const) {
        yield* TestClock.adjust(after)
        assert.strictEqual((openUntil("key") ?? 0) - (yield* Clock.currentTimeMillis), wait)
      }
      yield* Fiber.interrupt(asking)
      // Since a minute: who comes back by it, each some time after it, is due.
      assert.strictEqual((openUntil("key") ?? 0) - (yield* Clock.currentTimeMillis), -60_000)
      yield* guard("key", Effect.void)
      yield* TestClock.adjust(1)
      assert.isUndefined(openUntil("key"))
    }).pipe(Effect.provide(breakers)))

  it.effect("wherever the call that finds out is cut, before it is made or while it is, the next one finds out", () =>
    Effect.gen(function*() {
      const { openUntil } = yield* Breakers.Breakers
      for (let steps = 0; steps < 40; steps++) {
        const key = `key ${steps}`
        for (let call = 0; call < 6; call++) yield* Effect.exit(guard(key, failing))
        yield* TestClock.adjust("1 minute")
        // A fiber can be interrupted where it lets others run: this one does so after each of its steps.
        const asking = yield* Effect.forkChild(
          Effect.provideService(guard(key, Effect.never), Scheduler.MaxOpsBeforeYield, 3)
        )
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(asking)
        assert.isAtMost(openUntil(key) ?? 0, yield* Clock.currentTimeMillis, `cut after ${steps} steps`)
      }
    }).pipe(Effect.provide(breakers)))

  it.effect("of providers that never get well, the ones unheard of for longest are forgotten", () =>
    Effect.gen(function*() {
      const { openUntil } = yield* Breakers.Breakers
      yield* TestClock.adjust(1)
      for (let call = 0; call < 6; call++) yield* Effect.exit(guard("key", failing))
      yield* TestClock.adjust(1)
      assert.isDefined(openUntil("key"))
      for (let other = 0; other < 8_192; other++) yield* Effect.exit(guard(`other ${other}`, failing))
      assert.isUndefined(openUntil("key"))
    }).pipe(Effect.provide(breakers)))

  it.effect("a provider that fails again is not forgotten before those that were heard of earlier", () =>
    Effect.gen(function*() {
      const { openUntil } = yield* Breakers.Breakers
      yield* TestClock.adjust(1)
      for (let call = 0; call < 5; call++) yield* Effect.exit(guard("key", failing))
      for (let other = 1; other < 8_192; other++) yield* Effect.exit(guard(`other ${other}`, failing))
      yield* TestClock.adjust("1 minute")
      yield* Effect.exit(guard("key", failing))
      yield* Effect.exit(guard("one more", failing))
      yield* TestClock.adjust(1)
      assert.isDefined(openUntil("key"))
    }).pipe(Effect.provide(breakers)))

  for (const [what, call] of Object.entries(sick)) {
    // A limit is most often one of a second.
    const wait = what === "RateLimited" ? 1_000 : 30_000
    it.effect(`the fifth in a row of ${what} has the provider left alone for ${wait / 1_000} s`, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* ask(call, 4)).wait, 0)
        assert.strictEqual((yield* ask(call)).wait, wait)
        yield* TestClock.adjust(wait)
        assert.strictEqual((yield* ask(call)).wait, 2 * wait)
      }).pipe(Effect.provide(breakers)))
  }

  for (const [what, call] of Object.entries(well)) {
    it.effect(`${what} says that the provider is well: what failed before no longer counts`, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* ask(call, 6)).wait, 0)
        yield* ask(failing, 4)
        yield* ask(call)
        assert.strictEqual((yield* ask(failing, 4)).wait, 0)
        assert.strictEqual((yield* ask(failing)).wait, 30_000)
      }).pipe(Effect.provide(breakers)))
  }

  for (const [atOnce, failures] of [[1_000, 10], [300, 3], [100, 2]] as const) {
    it.effect(`of ${atOnce} calls at once ${failures} that fail apart do not have a healthy provider left alone`, () =>
      Effect.gen(function*() {
        const { openUntil } = yield* Breakers.Breakers
        const every = atOnce / failures
        const calls = Array.from(
          { length: 5 * atOnce },
          (_, n) => Effect.delay(n % every === 0 ? failing : Effect.void, Math.floor(n / atOnce) * 100 + 20 + n % 60)
        )
        // All are let in before the first has failed.
        const wave = yield* Effect.forkChild(
          Effect.forEach(calls, (call) => Effect.exit(guard("key", call)), { concurrency: "unbounded" })
        )
        for (let time = 0; time < 600; time += 10) {
          yield* TestClock.adjust(10)
          assert.isUndefined(openUntil("key"))
        }
        const made = yield* Fiber.join(wave)
        assert.lengthOf(made.filter((exit) => Exit.isFailure(exit)), 5 * failures)
      }).pipe(Effect.provide(breakers)))
  }

  for (
    const [what, error] of [
      ["RateLimited", (retryAfter: number) => new RateLimited({ detail, retryAfter })],
      ["Unavailable", (retryAfter: number) => new Unavailable({ detail, retryAfter })]
    ] as const
  ) {
    it.effect(`a wait that a provider names with ${what} is everybody's, for an hour at most, and then one finds out`, () =>
      Effect.gen(function*() {
        for (
          const [named, waited] of [[5_000, 0], [6_000, 6_000], [90_000.5, 90_001], [86_400_000, 3_600_000]] as const
        ) {
          assert.strictEqual((yield* ask(Effect.fail(error(named)))).wait, waited)
          yield* TestClock.adjust(waited)
          assert.strictEqual((yield* ask(Effect.void)).made, 1)
        }
        assert.strictEqual((yield* ask(failing, 4)).wait, 0)
        const last = yield* ask(Effect.fail(error(6_000)))
        assert.strictEqual(last.wait, what === "RateLimited" ? 6_000 : 30_000, "never sooner than after such failures")
      }).pipe(Effect.provide(breakers)))
  }

  it.effect("a call that is interrupted says nothing of its provider", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* ask(Effect.interrupt, 6)).wait, 0)
      yield* ask(failing, 4)
      assert.strictEqual((yield* ask(Effect.interrupt, 6)).wait, 0)
      assert.strictEqual((yield* ask(failing)).wait, 30_000)
    }).pipe(Effect.provide(breakers)))

  it.effect("one that only takes no more for now is asked every half a minute at the latest: it may take all again", () =>
    Effect.gen(function*() {
      const limited = Effect.fail(new RateLimited({ detail }))
      yield* ask(limited, 5)
      for (const wait of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
        yield* TestClock.adjust(wait - 1)
        assert.strictEqual((yield* ask(limited)).made, 0)
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* ask(limited)).made, 1)
      }
    }).pipe(Effect.provide(breakers)))

  it.effect("one that stays sick is asked once each time, and then left alone for twice as long, up to 5 min", () =>
    Effect.gen(function*() {
      yield* ask(failing, 5)
      for (const wait of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
        yield* TestClock.adjust(wait - 10)
        assert.deepStrictEqual(yield* ask(Effect.void), { made: 0, answer: leftAlone, wait: 10 })
        yield* TestClock.adjust(10)
        assert.strictEqual((yield* ask(failing)).made, 1)
      }
    }).pipe(Effect.provide(breakers)))

  it.effect("while one call finds out, no other is made; what that one says counts, however long it takes", () =>
    Effect.gen(function*() {
      yield* ask(failing, 5)
      yield* TestClock.adjust(30_000)
      const asking = yield* Effect.forkChild(ask(Effect.andThen(Effect.sleep(40_000), failing)))
      for (const after of [1_000, 38_000]) {
        yield* TestClock.adjust(after)
        assert.deepInclude(yield* ask(Effect.void), { made: 0, answer: leftAlone })
      }
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* Fiber.join(asking)).wait, 60_000)
    }).pipe(Effect.provide(breakers)))

  it.effect("who was let in before it was left alone makes the call, and changes nothing of that", () =>
    Effect.gen(function*() {
      const { admit, openUntil } = yield* Breakers.Breakers
      for (const call of [Effect.void, failing]) {
        const answer = yield* Effect.exit(
          admit("key", (watch) => Effect.andThen(ask(failing, 5), watch(Effect.as(call, "made"), 0n)))
        )
        assert.notDeepEqual(answer, leftAlone)
        assert.strictEqual(openUntil("key"), (yield* Clock.currentTimeMillis) + 30_000)
        yield* TestClock.adjust(30_000)
        yield* ask(Effect.void)
      }
    }).pipe(Effect.provide(breakers)))

  it.effect("who finds out is alone from before the intent to the call's end; without a call, the next one finds out", () =>
    Effect.gen(function*() {
      yield* ask(failing, 5)
      yield* TestClock.adjust(30_000)
      const { admit } = yield* Breakers.Breakers
      const meanwhile = yield* admit("key", () => ask(Effect.void))
      assert.deepStrictEqual(meanwhile, { made: 0, answer: leftAlone, wait: 5_000 })
      const broken = yield* Effect.exit(admit("key", () => Effect.succeed(JSON.parse("{"))))
      assert.isTrue(Exit.hasDies(broken))
      assert.strictEqual((yield* ask(Effect.void)).made, 1)
    }).pipe(Effect.provide(breakers)))

  it.effect("calls that were under way when it was left alone are not cut short, and change nothing of that", () =>
    Effect.gen(function*() {
      const slow = [Effect.sleep(1_000), Effect.andThen(Effect.sleep(1_000), failing)]
      const begin = Effect.forEach(slow, (call) => Effect.forkChild(ask(call), { startImmediately: true }))
      const first = yield* begin
      yield* ask(failing)
      const second = yield* begin
      assert.strictEqual((yield* ask(failing, 4)).wait, 30_000)
      yield* TestClock.adjust(1_000)
      for (const { made, wait } of yield* Effect.forEach([...first, ...second], Fiber.join)) {
        assert.deepStrictEqual([made, wait], [1, 29_000])
      }
    }).pipe(Effect.provide(breakers)))
})
