import { Scope } from "#schemas/Scope.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Array, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const scope = Scope.make(1)
const day = 86_400_000
const now = Date.UTC(2026, 10, 21)

/** A day in five of more than a year, of which the others have no messages. */
const days = Array.range(1, 100).map((n) => now - 5 * n * day)
const nameOf = (at: number) => `messages_${DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at)).replaceAll("-", "")}`

const oldest = `${Ids.from(now - 500 * day)}-${"0".repeat(24)}`

const prepare = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(now)
  const made = days.map((at) =>
    `create table ${nameOf(at)} partition of messages for values from ('${Ids.from(at)}') to ('${Ids.from(at + day)}');`
  )
  yield* sql.unsafe(`do $$ begin ${made.join("\n")} end $$`).unprepared
  yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
      recipient_name, enqueued_at, recipient, instructions)
    values (${scope}, ${oldest}, ${oldest}, 1, 'bulk', '', 'published', 'SENT', '', '', 'ada', 0, '{}', '{}')`
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "120 seconds" })("A search", (it) => {
  it.effect("that goes back through years never holds the locks of more than some months", () =>
    Effect.gen(function*() {
      yield* prepare
      const log = yield* MessageLog
      const search = log.list(scope, { ...Fixture.anything, limit: 5 })
      const { days, result } = yield* Reads.daysBefore("messages", nameOf(now - 35 * day), search)
      assert.isAtMost(days, 30)
      assert.deepStrictEqual(result.items.map(({ id }) => String(id)), [oldest])
    }))
})
