import { due } from "#layers/postgres/journal/Due.ts"
import * as OpenDays from "#layers/postgres/days/OpenDays.ts"
import * as OpenRows from "#layers/postgres/days/OpenRows.ts"
import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const day = 86_400_000
const first = Date.UTC(2026, 8, 1)
const days = 60
const last = first + days * day

const boundOf = (at: number) => Partitions.bound(DateTime.makeUnsafe(at))

/** An installation of sixty days, with nothing in it. */
const installed = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate messages, expansions`
  for (let at = first; at <= last; at += 7 * day) {
    yield* TestClock.setTime(at)
    yield* Partitions.ensure(sql)
  }
  yield* TestClock.setTime(last)
  return { sql, openDays: OpenDays.make(sql) }
})

const world = Effect.map(Fixture.world, (world) => ({ ...world, at: last }))

/** A message of the day, open until its step closes it. */
const opened = Effect.fnUntraced(function*(at: number, dueAt = 0) {
  const journal = yield* Journal
  const place = yield* world
  const { epoch } = yield* journal.take(place.shard, "node", at)
  const message = Fixture.message(place, {
    id: Ids.make(at, new Uint8Array(12)),
    dueAt,
    status: dueAt === 0 ? "ENQUEUED" : "DELAYED"
  })
  yield* journal.accept(Fixture.acceptance(place, [message]))
  const close = journal.record(Fixture.step(message, epoch, { lifecycle: ["Undeliver"], dueAt: null }))
  return { message, place, close }
})

/** A request to many of the day, whose row is as given. */
const requested = Effect.fnUntraced(function*(
  at: number,
  { dueAt, endedAt }: { readonly dueAt: number | null; readonly endedAt: number | null }
) {
  const sql = yield* SqlClient.SqlClient
  const id = Ids.make(at, new Uint8Array(12))
  const state = dueAt === null ? "FAILED" : "RUNNING"
  yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, due_at, accepted_at, advanced_at, ended_at)
    values (1, ${id}, 0, '', '', '', '', ${state}, ${dueAt}, 0, 0, ${endedAt})`
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })("OpenDays", (it) => {
  it.effect("a look opens the days that may have open messages, however many there are", () =>
    Effect.gen(function*() {
      const { openDays, sql } = yield* installed
      const { message, place } = yield* opened(last)
      const look = due(sql, { since: openDays.since, from: OpenRows.everything })(Fixture.window(place, { now: last }))
      const before = yield* Reads.days("messages", look)
      assert.isAtLeast(before.days, days)
      yield* openDays.refresh
      for (const plan of ["force_custom_plan", "force_generic_plan"]) {
        const after = yield* Reads.days(
          "messages",
          Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, look)
        )
        assert.deepStrictEqual(after.result.rows.map(({ id }) => id), [message.id])
        if (plan === "force_custom_plan")
          assert.isAtMost(after.days, 12, "yesterday, today, a week ahead, and the default")
      }
    }))

  it.effect("are known before anything is looked for", () =>
    Effect.gen(function*() {
      yield* installed
      const since = Context.get(yield* Layer.build(OpenDays.layer), OpenDays.OpenSince)
      assert.strictEqual(since(), boundOf(last - day))
    }))

  it.effect.each([0, last + day])(
    "I1: an open message of an old day (due at %s) keeps it and all later ones in sight until it is closed",
    (dueAt) =>
      Effect.gen(function*() {
        const { openDays } = yield* installed
        const old = first + 20 * day + 5_000
        const { close, message } = yield* opened(old, dueAt)
        yield* openDays.refresh
        assert.strictEqual(openDays.since(), boundOf(first + 20 * day))
        assert.isTrue(openDays.since() <= message.id)
        yield* close
        yield* openDays.refresh
        assert.strictEqual(openDays.since(), boundOf(last - day))
      })
  )

  it.effect("a request to many that goes on keeps its day in sight: its messages' ids are of that day", () =>
    Effect.gen(function*() {
      const { openDays, sql } = yield* installed
      const old = boundOf(first + 30 * day)
      yield* requested(first + 30 * day, { dueAt: 0, endedAt: null })
      yield* openDays.refresh
      assert.strictEqual(openDays.since(), old)
      yield* sql`update expansions set state = 'COMPLETED', due_at = null, ended_at = ${last}`
      yield* openDays.refresh
      assert.strictEqual(openDays.since(), old)
      yield* TestClock.adjust("6 minutes")
      yield* openDays.refresh
      yield* openDays.refresh
      assert.strictEqual(openDays.since(), boundOf(last - day))
    }))

  it.effect("one that was set aside keeps no day in sight, but for its messages; resumed, it opens its day again", () =>
    Effect.gen(function*() {
      const { openDays, sql } = yield* installed
      const old = first + 30 * day
      yield* requested(old, { dueAt: null, endedAt: old })
      yield* openDays.refresh
      assert.strictEqual(openDays.since(), boundOf(last - day))
      yield* sql`update expansions set state = 'RUNNING', due_at = 0, ended_at = null`
      yield* TestClock.adjust("1 minute")
      yield* openDays.refresh
      assert.strictEqual(openDays.since(), boundOf(old))
    }))

  it.effect("I1: one that was resumed and has ended since, while the database was away, leaves its messages in sight", () =>
    Effect.gen(function*() {
      const { openDays, sql } = yield* installed
      const old = first + 30 * day
      yield* requested(old, { dueAt: null, endedAt: old })
      yield* openDays.refresh
      const { message } = yield* opened(old)
      yield* sql`update expansions set state = 'COMPLETED', ended_at = ${last + 60_000}`
      yield* TestClock.adjust("1 hour")
      yield* openDays.refresh
      assert.isTrue(openDays.since() <= message.id)
      yield* TestClock.adjust("1 hour")
      yield* openDays.refresh
      assert.isTrue(openDays.since() <= message.id)
    }))

  it.effect("days go out of sight as time passes, and come back if the clock is set back", () =>
    Effect.gen(function*() {
      const { openDays } = yield* installed
      yield* openDays.refresh
      assert.strictEqual(openDays.since(), boundOf(last - day))
      yield* TestClock.setTime(last + 3 * day)
      yield* openDays.refresh
      assert.strictEqual(openDays.since(), boundOf(last + 2 * day))
      yield* TestClock.setTime(last)
      yield* openDays.refresh
      assert.strictEqual(openDays.since(), boundOf(last - day))
    }))
})
