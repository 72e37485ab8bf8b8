import * as LongTransactions from "#layers/postgres/connection/LongTransactions.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as PrivatePostgres from "#test/support/PrivatePostgres.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"

/** Of its own, since others on a shared server would be told of as well. */
const server = Effect.acquireRelease(
  Effect.promise(() => PrivatePostgres.make()),
  ({ remove }) => Effect.promise(remove)
)

describe.skipIf(PrivatePostgres.programs() === undefined)("LongTransactions", () => {
  it.live(
    "operators hear once of a transaction that has written and stays open, in whatever database, whose it is, and once that it ended",
    () =>
      Effect.gen(function*() {
        const { url } = yield* server
        const elsewhere = FreshDatabase.node(Redacted.make(`${url}?application_name=psql`))
        const heard: Array<string> = []
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`create database other`
          const looking = LongTransactions.make(sql)
          const look = looking.pipe(
            Effect.provide(Logger.layer([Logger.make(({ message }) => heard.push(JSON.stringify(message)))]))
          )
          yield* Effect.repeat(look, { times: 2 })
          assert.deepStrictEqual(heard, [])
          const other = Context.get(yield* Layer.build(elsewhere), SqlClient.SqlClient)
          yield* other.withTransaction(Effect.gen(function*() {
            yield* other`select 1`
            yield* Effect.repeat(look, { times: 2 })
            assert.deepStrictEqual(heard, [], "one that only reads")
            yield* other`create table forgotten ()`
            yield* look
            assert.deepStrictEqual(heard, [], "one that has just begun to write")
            yield* Effect.repeat(look, { times: 2 })
            assert.lengthOf(heard, 1)
            assert.include(heard[0], "does not end")
            assert.include(heard[0], "psql")
          }))
          yield* Effect.repeat(look, { times: 2 })
          assert.lengthOf(heard, 2)
          assert.include(heard[1], "has ended")
        }).pipe(Effect.provide(FreshDatabase.node(Redacted.make(url.replace(/postgres$/, "template1")))), Effect.scoped)
      }),
    60_000
  )
})
