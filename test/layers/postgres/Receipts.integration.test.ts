import { Journal } from "#src/delivery/Journal.ts"
import * as Receiving from "#src/reports/Receipts.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Statements from "#test/layers/postgres/Statements.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const statements = Statements.make()
const stores = Receiving.layer.pipe(
  Layer.provideMerge(Stores.layer),
  Layer.provideMerge(FreshDatabase.layer),
  Layer.provideMerge(statements.layer)
)

/** 100 messages that were sent, and a receipt for each; every second one is named by the provider's reference alone. */
const delivered = Effect.gen(function*() {
  const place = yield* Fixture.world
  const journal = yield* Journal
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  const sent = Effect.gen(function*() {
    const message = yield* Fixture.accepted(place)
    const attempt = Fixture.attempt(1, "accepted", { reference: `ref ${message.id}` })
    yield* journal.record(Fixture.step(message, epoch, { lifecycle: ["Route", "Send"], attempt, dueAt: null }))
    return message
  })
  const messages = yield* Effect.all(Array.from({ length: 100 }, () => sent), { concurrency: "unbounded" })
  const receipts = messages.map(({ id }, n): Receiving.Receipt => ({
    id: `e ${n}`,
    event: "Deliver",
    messageId: n % 2 === 0 ? id : undefined,
    attempt: undefined,
    reference: `ref ${id}`,
    at: undefined,
    detail: undefined
  }))
  const { apply } = yield* Receiving.Receipts
  return { place, messages, applying: apply(place.scope, ["null"], receipts) }
})

layer(stores, { excludeTestServices: true })("Receipts on Postgres", (it) => {
  it.effect("the thousands of one callback cost a few statements for every fifty, however their messages are named", () =>
    Effect.gen(function*() {
      const { applying, messages, place } = yield* delivered
      const first = yield* statements.counting(applying)
      const log = yield* MessageLog
      for (const { id } of messages) assert.strictEqual((yield* log.get(place.scope, id)).status, "DELIVERED")
      const again = yield* statements.counting(applying)
      assert.deepStrictEqual([first.statements, again.statements], [7, 5])
    }))

  it.effect(
    "a callback reads its own messages alone, of a day of which the database knows nothing yet",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { applying, place: { at, scope } } = yield* delivered
        yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
          recipient_name, enqueued_at, recipient, instructions)
        select ${scope}::int, id, id, 1, 'bulk', id, 'published', 'SENT', '', '', '', 0, '{"user_id":"a"}', '{}'
        from (select ${`1-${(at / 1_000).toString(16)}-000`} || substr(md5(n::text), 1, 21) as id
          from generate_series(1, 30000) n) one`
        const { rows } = yield* Reads.rows("messages", applying)
        assert.isAtMost(rows, 300)
      }),
    30_000
  )
})
