import { MessageId } from "#schemas/MessageId.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { PushTickets } from "#src/reports/PushTickets.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)
const ada = UserId.make("ada")
const idOf = (n: number) => MessageId.make(`1-6b000000-${String(n).padStart(24, "0")}`)

/** Three pushes to a user whose receipts are to be read, the last one stored first. */
const pushed = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const numbers = sql`(select '1-6b000000-' || lpad(n::text, 24, '0') as id from generate_series(3, 1, -1) n) x`
  yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
      recipient_name, enqueued_at, recipient, instructions)
    select ${scope}, id, id, 1, 'bulk', ${Recipients.userKey(scope, ada)}, 'published', 'SENT', '', '',
      ${ada}, 0, '{}', '{}' from ${numbers}`
  yield* sql`insert into push_tickets select ${scope}, id, 1, 'expo', '[]', true, 0, 0 from ${numbers}`
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "The tickets of pushes on Postgres",
  (it) => {
    it.effect.each(["are kept", "are no longer needed", "go with their user"])(
      "tickets that %s are locked in the order of their messages",
      (what) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const tickets = yield* PushTickets
          const profiles = yield* Profiles
          yield* sql`delete from messages`
          yield* sql`delete from push_tickets`
          yield* pushed
          const left = [3, 2, 1].map((n) => ({
            scope,
            messageId: idOf(n),
            attempt: 1,
            provider: "expo",
            tickets: [],
            reached: false,
            sentAt: 0,
            dueAt: what === "are kept" ? 1 : undefined
          }))
          const take = (n: number) =>
            sql`select from push_tickets where scope = ${scope} and message_id = ${idOf(n)} for update`
          const locked = yield* Latch.make()
          const waiting = sql`select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.pipe(
            Effect.repeat({ until: (found) => found.length > 0, schedule: Schedule.spaced("10 millis") })
          )
          const end = yield* Latch.make()
          const other = yield* take(1).pipe(
            Effect.andThen(locked.open),
            Effect.andThen(end.await),
            Effect.andThen(take(3)),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* locked.await
          const change = what === "go with their user" ? profiles.remove(scope, ada) : tickets.keep(left)
          // Found by an index, the rows would come in order by chance.
          const changed = yield* sql`set local enable_indexscan = off`.pipe(
            Effect.andThen(sql`set local enable_bitmapscan = off`),
            Effect.andThen(change),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* waiting
          yield* end.open
          yield* Fiber.join(other)
          yield* Fiber.join(changed)
          const rows = yield* sql`select due_at::int as due from push_tickets`
          assert.deepStrictEqual(rows, what === "are kept" ? [{ due: 1 }, { due: 1 }, { due: 1 }] : [])
        })
    )
  }
)
