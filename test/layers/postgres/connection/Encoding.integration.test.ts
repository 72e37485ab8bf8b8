import * as Encoding from "#layers/postgres/connection/Encoding.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const start = Effect.provide(Effect.void, Encoding.layer)

describe("Encoding", () => {
  it.live("a database whose text cannot be any text is not set up, and one that was is served on", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(start)
      assert.propertyVal(error, "_tag", "OtherEncoding")
      assert.include(error.message, "LATIN1")
      assert.include(error.message, "encoding 'UTF8'")
      yield* (yield* SqlClient.SqlClient)`create table migrations ()`
      yield* start
    }).pipe(Effect.provide(FreshDatabase.layerEncoded("LATIN1"))))

  for (const encoding of ["UTF8", "SQL_ASCII"]) {
    it.live(`${encoding} is good`, () => Effect.provide(start, FreshDatabase.layerEncoded(encoding)))
  }
})
