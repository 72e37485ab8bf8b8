import { Journal } from "#src/delivery/Journal.ts"
import * as Receiving from "#src/reports/Receipts.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Statements from "#test/layers/postgres/Statements.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

const statements = Statements.make()
const stores = Receiving.layer.pipe(
  Layer.provideMerge(Stores.layer),
  Layer.provideMerge(FreshDatabase.layer),
  Layer.provideMerge(statements.layer)
)

layer(stores, { excludeTestServices: true })("Receipts on Postgres", (it) => {
  it.effect("the thousands of one callback cost a few statements for every fifty, however their messages are named", () =>
    Effect.gen(function*() {
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
      const first = yield* statements.counting(apply(place.scope, ["null"], receipts))
      const log = yield* MessageLog
      for (const { id } of messages) assert.strictEqual((yield* log.get(place.scope, id)).status, "DELIVERED")
      const again = yield* statements.counting(apply(place.scope, ["null"], receipts))
      assert.deepStrictEqual([first.statements, again.statements], [7, 5])
    }))
})
