import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { Effect, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

export const today = Date.UTC(2026, 10, 21, 12)
export const day = 86_400_000

export const Ids = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

export const idAt = (ms: number, tail: string): string =>
  `1-${Math.floor(ms / 1_000).toString(16).padStart(8, "0")}-${tail.repeat(24)}`

/** A message with an attempt and a line of history; `dueAt` null is closed. */
export const stored = Effect.fnUntraced(function*(id: string, dueAt: number | null, scope = 1) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into messages ${
    sql.insert({
      scope,
      id,
      request_id: id,
      shard: 0,
      lane: "bulk",
      recipient_key: "k",
      key_state: "published",
      status: "SENT",
      due_at: dueAt,
      event: "",
      template: "",
      recipient_name: "k",
      enqueued_at: 0,
      recipient: "{}",
      instructions: "{}"
    })
  }`
  yield* sql`insert into attempts (scope, message_id, number, epoch, channel, provider, state, started_at)
    values (${scope}, ${id}, 1, 1, 'email', 'p', 'accepted', 0)`
  yield* sql`insert into history (scope, message_id, at, step, events) values (${scope}, ${id}, 0, 'accept', '[]')`
  yield* sql`insert into outputs (scope, message_id, number, rendered) values (${scope}, ${id}, 1, '{}')`
  yield* sql`insert into inbox (scope, user_id, message_id, created_at, rendered) values (${scope}, 'u', ${id}, 0, '{}')`
  yield* sql`insert into list_requests (scope, list_id, request_id) values (${scope}, 'all', ${id})`
})

/** A request to many; `dueAt` null has ended. */
export const requested = Effect.fnUntraced(function*(id: string, dueAt: number | null, scope = 1) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into expansions ${
    sql.insert({
      scope,
      id,
      shard: 0,
      key_state: "published",
      recipients: "[]",
      instructions: "{}",
      place: "{\"index\":0}",
      state: dueAt === null ? "COMPLETED" : "RUNNING",
      due_at: dueAt,
      accepted_at: 0,
      advanced_at: 0,
      ended_at: dueAt === null ? 0 : null
    })
  }`
})

/** Runs on a new database, today. */
export const onToday = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(today), Effect.scoped(Effect.provide(effect, FreshDatabase.layer)))
