import * as UpkeepWakeups from "#layers/postgres/notices/UpkeepWakeups.ts"
import { AudienceUpkeep } from "#src/people/AudienceUpkeep.ts"
import { Telling } from "#src/reports/webhooks/Telling.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Fiber, Latch, Layer, Logger, Queue } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A node that is told of changed audiences, and of what webhooks are to be told. `woken` ends with the next wake-up of its upkeep that no one has waited for; `crash` ends the next
 * one by a defect.
 */
const start = Effect.gen(function*() {
  const wakes = yield* Queue.unbounded<void>()
  const tellings = yield* Queue.unbounded<void>()
  let crashes = false
  const wake = Effect.suspend(() => {
    if (!crashes) return Queue.offer(wakes, undefined)
    crashes = false
    return Effect.die("a bug")
  })
  const lines: Array<unknown> = []
  const stores = FreshDatabase.node(yield* FreshDatabase.url)
  const sql = Context.get(yield* Layer.build(Layer.fresh(stores)), SqlClient.SqlClient)
  yield* Layer.build(
    UpkeepWakeups.layer.pipe(
      Layer.provide([
        stores,
        Layer.mock(AudienceUpkeep, { wake }),
        Layer.mock(Telling, { wake: Effect.asVoid(Queue.offer(tellings, undefined)) })
      ]),
      Layer.provide(Logger.layer([Logger.make(({ message }) => lines.push(message))]))
    )
  )
  const crash = Effect.sync(() => {
    crashes = true
  })
  return { crash, lines, sql, tellings, wakes, woken: Queue.take(wakes) }
})

describe("UpkeepWakeups", () => {
  it.live(
    "upkeep is woken by what any node commits, and for what was committed before and while nobody listened",
    () =>
      Effect.gen(function*() {
        const { lines, sql, woken } = yield* start
        const notify = sql`select pg_notify('tidings_audiences', '')`
        yield* woken
        yield* notify
        yield* woken
        yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
        yield* woken
        yield* notify
        yield* woken
        assert.deepStrictEqual(lines.map((line) => [line].flat()[0]), [
          "no longer told of changed audiences, and of what webhooks are to be told",
          "told of changed audiences, and of what webhooks are to be told again"
        ])
      }),
    30_000
  )

  it.live(
    "who tells webhooks is woken by what is stored for them, and the upkeep of audiences is not",
    () =>
      Effect.gen(function*() {
        const { sql, tellings, wakes, woken } = yield* start
        yield* woken
        yield* Queue.take(tellings)
        yield* sql`select pg_notify('tidings_audiences', ${UpkeepWakeups.webhooks})`
        yield* Queue.take(tellings)
        assert.strictEqual(yield* Queue.size(wakes), 0)
      }),
    30_000
  )

  it.live(
    "P1: a crash is told of, and ends no listening for good: what was committed meanwhile is found, and what comes",
    () =>
      Effect.gen(function*() {
        const { crash, lines, sql, woken } = yield* start
        const notify = sql`select pg_notify('tidings_audiences', '')`
        yield* woken
        for (let bug = 0; bug < 2; bug++) {
          yield* crash
          yield* notify
          yield* woken
        }
        yield* notify
        yield* woken
        const crashed = "listening for changed audiences, and of what webhooks are to be told crashed"
        assert.deepStrictEqual(lines.map((line) => [line].flat()[0]), [crashed, crashed])
      }),
    30_000
  )

  it.live(
    "of those who write profiles at once, one announces it: who notifies commits alone",
    () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const write = (user: string) => sql`insert into profiles values (1, ${user}, '{}', 0, 0)`
        yield* sql`insert into audiences (scope, id, name, description, version, created_at, updated_at)
          values (1, 'all', '', '', 1, 0, 0)`
        const told = yield* sql.listen("tidings_audiences")
        const written = yield* Latch.make()
        const end = yield* Latch.make()
        const first = yield* write("first").pipe(
          Effect.andThen(written.open),
          Effect.andThen(end.await),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* written.await
        yield* write("second")
        yield* sql.notify("tidings_audiences", "behind the second")
        const heard = [(yield* Queue.take(told)).payload]
        yield* end.open
        yield* Fiber.join(first)
        heard.push((yield* Queue.take(told)).payload)
        assert.deepStrictEqual(heard, ["behind the second", ""])
      }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer)),
    30_000
  )
})
