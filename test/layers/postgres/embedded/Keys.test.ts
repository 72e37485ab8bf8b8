import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const stores = Stores.layer.pipe(
  Layer.provideMerge(
    Layer.unwrap(Effect.map(Directories.withDatabase, (dataDir) => Embedded.layer({ dataDir, durability: "process" })))
  )
)

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ name: Schema.String, scans: Schema.Number }))
)

layer(stores, { timeout: "60 seconds", excludeTestServices: true })("The first plans of an embedded database", (it) => {
  // A plan made for an empty table is kept until statistics are made, ten minutes later at worst.
  it.effect("a step finds its message by the key, also where no message was before", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const journal = yield* Journal
      const place = yield* Fixture.world
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      yield* journal.record(Fixture.step(yield* Fixture.accepted(place), epoch))
      yield* sql`select pg_stat_force_next_flush()`
      const used = yield* sql`select indexrelname as name, idx_scan::float8 as scans from pg_stat_user_indexes
        where relname like 'messages%' and idx_scan > 0`.pipe(Effect.flatMap(decode))
      assert.isNotEmpty(used.filter(({ name }) => name.endsWith("_pkey")))
      assert.isEmpty(used.filter(({ name }) => name.includes("recipient_name")))
    }))
})
