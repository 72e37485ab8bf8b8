import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { SendCounts } from "#src/flows/SendCounts.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import * as Directories from "#test/support/Directories.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const database = Layer.unwrap(
  Effect.map(Directories.withDatabase, (dataDir) => Embedded.layer({ dataDir, durability: "process" }))
)

layer(Stores.layer.pipe(Layer.provideMerge(database)))("SendCounts: embedded", (it) => {
  it.effect("P1: a machine that is suspended while it counts goes on: nothing ends the only session there is", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const counts = yield* SendCounts
      const { id, scope } = yield* Fixture.accepted(yield* Fixture.world)
      const count = { per: "user", period: "hour", subject: "ada", from: 0, until: 3_600_000, most: 5 } as const
      const patience = yield* counts.take({ scope, messageId: id, counts: [count] }).pipe(
        Effect.andThen(sql`select current_setting('idle_in_transaction_session_timeout') as patience`),
        sql.withTransaction
      )
      assert.deepStrictEqual(patience, [{ patience: "0" }])
    }))
})
