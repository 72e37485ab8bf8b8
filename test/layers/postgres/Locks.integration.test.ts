import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { accepted, messagesOf, step } from "#test/contracts/ExpansionFixture.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

/** Begins `late` while a transaction that has run `first` is open, commits that once `late` waits for it or has ended, and answers what `late` says. */
const beside = Effect.fnUntraced(function*<A, E, E2, R, R2>(
  first: Effect.Effect<unknown, E2, R2>,
  late: Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const [changed, end] = [yield* Latch.make(), yield* Latch.make()]
  const open = yield* first.pipe(
    Effect.andThen(changed.open),
    Effect.andThen(end.await),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* changed.await
  const fiber = yield* Effect.forkChild(late)
  yield* sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.pipe(
    Effect.repeat({
      until: (found) => found.length > 0 || fiber.pollUnsafe() !== undefined,
      schedule: Schedule.spaced("10 millis")
    })
  )
  yield* end.open
  yield* Fiber.join(open)
  return yield* Fiber.join(fiber)
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "What is under way on Postgres when it is changed",
  (it) => {
    it.effect("P2: a step that comes while its shard is taken over waits for the new owner, and is fenced", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { epoch, journal, message, place } = yield* Fixture.owned
        const takeOver = sql`update epochs set epoch = epoch + 1 where shard = ${place.shard}`
        const late = journal.record(Fixture.step(message, epoch, { lifecycle: ["Route"] }))
        assert.deepStrictEqual(yield* beside(takeOver, late), { _tag: "Fenced" })
        const { status } = yield* MessageLog.use((log) => log.get(place.scope, message.id))
        assert.strictEqual(status, "ENQUEUED")
      }))

    it.effect("P2: a page that comes while its shard is taken over waits for the new owner, and is fenced", () =>
      Effect.gen(function*() {
        const given = yield* accepted()
        const sql = yield* SqlClient.SqlClient
        const { advance } = yield* Expansions
        const takeOver = sql`update epochs set epoch = epoch + 1 where shard = ${given.place.shard}`
        assert.deepStrictEqual(yield* beside(takeOver, advance(step(given))), { _tag: "Fenced" })
        assert.deepStrictEqual(yield* messagesOf(given), [])
      }))

    it.effect("a page that comes while its request is ended makes no messages, and does not begin it again", () =>
      Effect.gen(function*() {
        const given = yield* accepted()
        const sql = yield* SqlClient.SqlClient
        const { advance, find } = yield* Expansions
        const { expansion: { id }, place: { scope } } = given
        const ended = sql`update expansions set state = 'FAILED', due_at = null, ended_at = 1
          where scope = ${scope} and id = ${id}`
        assert.deepStrictEqual(yield* beside(ended, advance(step(given))), { _tag: "Passed" })
        assert.deepStrictEqual(yield* messagesOf(given), [])
        assert.strictEqual((yield* find(scope, id)).state, "FAILED")
      }))

    it.effect("P6: a receipt that comes while another moves its message is weighed against what that one left", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { epoch, journal, message, place } = yield* Fixture.owned
        yield* journal.record(Fixture.step(message, epoch, { lifecycle: ["Route", "Send"], dueAt: null }))
        const opened = sql`update messages set status = 'OPENED', opened_at = 1
          where scope = ${place.scope} and id = ${message.id}`
        const late = journal.observe({
          scope: place.scope,
          id: message.id,
          event: "Deliver",
          history: { type: "DELIVERED", ts: place.at + 50 }
        })
        assert.deepInclude(yield* beside(opened, late), { before: "OPENED", after: "OPENED" })
        const { status } = yield* MessageLog.use((log) => log.get(place.scope, message.id))
        assert.strictEqual(status, "OPENED")
      }))
  }
)
