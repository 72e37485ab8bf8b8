import { endOpen } from "#layers/postgres/EndOpen.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const stores = Layer.provideMerge(Stores.layer, FreshDatabase.layerEmpty)

describe("the end of all that is open", () => {
  it.live(
    "cancels what nobody took, keeps the status of what was taken, and sets requests to many aside, once",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const log = yield* MessageLog
        const place = yield* Fixture.world
        const ready = yield* Fixture.accepted(place)
        const delayed = yield* Fixture.accepted(place, { status: "DELAYED", dueAt: place.at + 60_000 })
        const taken = yield* Fixture.accepted(place)
        const done = yield* Fixture.accepted(place)
        yield* sql`update messages set status = 'SENT', due_at = ${place.at + 60_000} where id = ${taken.id}`
        yield* sql`update messages set status = 'SENT', due_at = null where id = ${done.id}`
        yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, due_at, accepted_at, advanced_at)
        values (${place.scope}, ${
          Fixture.id(place.at)
        }, 1, 'published', '[]', '{}', '{}', 'EXPANDING', 0, ${place.at}, ${place.at})`

        assert.deepStrictEqual(yield* endOpen, { canceled: 2, taken: 1, requests: 1 })
        const statusOf = ({ id }: typeof ready) => Effect.map(log.get(place.scope, id), ({ status }) => status)
        assert.deepStrictEqual(
          yield* Effect.forEach([ready, delayed, taken, done], statusOf),
          ["CANCELED", "CANCELED", "SENT", "SENT"]
        )
        const open = yield* sql`select 1 from messages where due_at is not null
        union all select 1 from expansions where due_at is not null or state <> 'FAILED'`
        assert.lengthOf(open, 0)
        assert.deepStrictEqual(yield* endOpen, { canceled: 0, taken: 0, requests: 0 })
      }).pipe(Effect.provide(stores)),
    60_000
  )

  it.live("touches nothing while a node runs", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Fixture.accepted(yield* Fixture.world)
      yield* sql`create table cluster_runners (address text primary key, last_heartbeat timestamp)`
      yield* sql`insert into cluster_runners values ('10.0.0.1:23000', localtimestamp), ('10.0.0.2:23000', localtimestamp - interval '1 day')`
      const refused = yield* Effect.flip(endOpen)
      assert.include(refused.message, "a node runs on this database (10.0.0.1:23000); stop it first")
      assert.lengthOf(yield* sql`select 1 from messages where due_at = 0`, 1)
      yield* sql`update cluster_runners set last_heartbeat = localtimestamp - interval '1 minute'`
      assert.deepInclude(yield* endOpen, { canceled: 1 })
    }).pipe(Effect.provide(stores)), 60_000)
})
