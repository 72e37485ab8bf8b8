import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as Retention from "#layers/postgres/retention/Retention.ts"
import { batch } from "#layers/postgres/retention/Batches.ts"
import { day, idAt, onToday, requested, stored, today } from "#test/layers/postgres/retention/Retained.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Scopes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ scope: Schema.Int })))

const old = today - 30 * day

describe("Retention of what is in no partition of a day", () => {
  it.effect("takes away in one run what is more than one statement takes, and all that belongs to it", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Partitions.ensure(sql)
      yield* stored(idAt(old, "a"), null)
      yield* requested(idAt(old, "a"), null)
      // With these, as many messages as one statement takes: the next one finds none.
      yield* sql`insert into messages select r.* from messages m, generate_series(1, ${batch - 1}::int) n,
        lateral jsonb_populate_record(m, jsonb_build_object('id', left(m.id, 11) || lpad(to_hex(n), 24, '0'))) r`
      yield* sql`insert into inbox (scope, user_id, message_id, created_at, rendered)
        select scope, 'all', id, 0, '{}' from messages`
      yield* sql`insert into bulk_jobs (scope, id, definition, created_at)
        select 1, n::text, '{}', 0 from generate_series(0, ${batch}::int) n`
      yield* Retention.drop(sql, 7)
      for (
        const table of [
          "messages",
          "attempts",
          "history",
          "outputs",
          "inbox",
          "expansions",
          "list_requests",
          "bulk_jobs"
        ]
      )
        assert.lengthOf(yield* sql`select 1 from ${sql(table)}`, 0, table)
    })))

  it.effect("P10: what one environment still has to do stays whole, though another's of the same ids is dropped", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Partitions.ensure(sql)
      const [ended, gone] = [idAt(old, "a"), idAt(old, "b")]
      for (const [scope, dueAt] of [[1, null], [2, 0]] as const) {
        yield* stored(ended, dueAt, scope)
        yield* requested(ended, dueAt, scope)
        for (const request of [ended, gone]) {
          yield* sql`insert into bulk_jobs (scope, id, definition, request_id, created_at)
            values (${scope}, ${request}, '{}', ${request}, 0)`
          yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user)
            values (${scope}, ${request}, 0, 'k', '{}')`
        }
      }
      // Only of the second environment, the other request is there as well.
      yield* requested(gone, 0, 2)
      yield* Retention.drop(sql, 7)
      for (
        const [table, left] of [
          ["messages", [2]],
          ["attempts", [2]],
          ["history", [2]],
          ["outputs", [2]],
          ["inbox", [2]],
          ["list_requests", [2]],
          ["expansions", [2, 2]],
          ["bulk_jobs", [2, 2]],
          ["bulk_users", [2, 2]]
        ] as const
      ) {
        const scopes = yield* Scopes(yield* sql`select scope from ${sql(table)}`)
        assert.deepStrictEqual(scopes.map(({ scope }) => scope), [...left], table)
      }
    })))
})
