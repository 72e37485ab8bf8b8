import * as OwnSessions from "#layers/postgres/OwnSessions.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const start = Effect.scoped(Effect.provide(Effect.void, OwnSessions.layer))

layer(FreshDatabase.layerEmpty)("OwnSessions", (it) => {
  it.effect("P2: a pooler that lends one session to two of ours is refused, in a sentence that says what to do", () =>
    Effect.gen(function*() {
      yield* start
      const sql = yield* SqlClient.SqlClient
      const session = yield* sql.reserve
      const pooled = Object.assign(sql.withoutTransforms(), { reserve: Effect.succeed(session) })
      const error = yield* Effect.flip(Effect.provideService(start, SqlClient.SqlClient, pooled))
      assert.propertyVal(error, "_tag", "SharedSessions")
      assert.include(error.message, "session mode")
    }))
})
