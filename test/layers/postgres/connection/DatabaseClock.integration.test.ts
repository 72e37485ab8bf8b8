import * as DatabaseClock from "#layers/postgres/connection/DatabaseClock.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const second = 1_000_000_000n

/** A source of offsets that a test sets. */
const scripted = (initial: bigint) => {
  let offset: bigint | undefined = initial
  return {
    set: (next: bigint | undefined) => {
      offset = next
    },
    measure: Effect.suspend(() => offset === undefined ? Effect.fail("down" as const) : Effect.succeed(offset))
  }
}

const follow = Effect.fnUntraced(function*(initial: bigint) {
  const source = scripted(initial)
  const clock = yield* DatabaseClock.follow(yield* Clock.Clock, source.measure)
  return { source, clock }
})

describe("DatabaseClock", () => {
  it.effect("P7: runs with the monotonic clock between measurements", () =>
    Effect.gen(function*() {
      const { clock } = yield* follow(1_000n * second)
      const before = clock.currentTimeNanosUnsafe()
      yield* TestClock.adjust("7 seconds")
      assert.strictEqual(clock.currentTimeNanosUnsafe() - before, 7n * second)
    }))

  it.effect("P7: never steps back for a small correction", () =>
    Effect.gen(function*() {
      const { clock, source } = yield* follow(1_000n * second)
      yield* TestClock.adjust("29 seconds")
      source.set(997n * second)
      yield* TestClock.adjust("999 millis")
      const before = clock.currentTimeMillisUnsafe()
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(clock.currentTimeMillisUnsafe(), before)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(clock.currentTimeMillisUnsafe(), before)
      yield* TestClock.adjust("2 seconds")
      assert.isAbove(clock.currentTimeMillisUnsafe(), before)
    }))

  it.effect("follows a database whose clock was set back", () =>
    Effect.gen(function*() {
      const { clock, source } = yield* follow(1_000n * second)
      clock.currentTimeMillisUnsafe()
      source.set(100n * second)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(clock.currentTimeNanosUnsafe() - clock.monotonicTimeNanosUnsafe(), 100n * second)
    }))

  it.effect("P7: goes on measuring after a defect", () =>
    Effect.gen(function*() {
      let crashes = false
      let offset = 1_000n * second
      const measure = Effect.suspend(() => crashes ? Effect.die("a defect") : Effect.succeed(offset))
      const clock = yield* DatabaseClock.follow(yield* Clock.Clock, measure)
      crashes = true
      yield* TestClock.adjust("30 seconds")
      crashes = false
      offset = 2_000n * second
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(clock.currentTimeNanosUnsafe() - clock.monotonicTimeNanosUnsafe(), offset)
    }))

  it.effect("keeps its time while the database is away, and measures again when it is back", () =>
    Effect.gen(function*() {
      const { clock, source } = yield* follow(1_000n * second)
      source.set(undefined)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(clock.currentTimeNanosUnsafe() - clock.monotonicTimeNanosUnsafe(), 1_000n * second)
      source.set(2_000n * second)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(clock.currentTimeNanosUnsafe() - clock.monotonicTimeNanosUnsafe(), 2_000n * second)
    }))

  it.effect("tells the time of the database, whatever the host's clock says", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ at: Schema.Number })]))
      const [{ at }] = yield* decode(yield* sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as at`)
      // The local clock is a test clock that stands still at 1970, and this one since it was made.
      assert.closeTo(yield* Clock.currentTimeMillis, at, 60_000)
    }).pipe(Effect.provide(DatabaseClock.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)))))
})
