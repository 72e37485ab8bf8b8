import { endOpen } from "#layers/postgres/EndOpen.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { Webhooks } from "#src/reports/Webhooks.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as OutboxFixture from "#test/contracts/OutboxFixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const stores = Layer.provideMerge(Stores.layer, FreshDatabase.layerEmpty)

/** The end where nobody is heard of. */
const end = endOpen(() => Effect.die("nothing to wait for"))

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

        yield* Effect.flatMap(Webhooks, (webhooks) =>
          webhooks.create(place.scope, {
            url: "https://example.com/",
            types: undefined,
            description: undefined,
            state: "ENABLED"
          }, OutboxFixture.secret))
        assert.deepStrictEqual(yield* end, { canceled: 2, taken: 1, requests: 1 })
        const told = yield* sql`select message_id as id, status from webhook_events`
        assert.sameDeepMembers([...told], [ready, delayed].map(({ id }) => ({ id, status: "CANCELED" })))
        const statusOf = ({ id }: typeof ready) => Effect.map(log.get(place.scope, id), ({ status }) => status)
        assert.deepStrictEqual(
          yield* Effect.forEach([ready, delayed, taken, done], statusOf),
          ["CANCELED", "CANCELED", "SENT", "SENT"]
        )
        const open = yield* sql`select 1 from messages where due_at is not null
        union all select 1 from expansions where due_at is not null or state <> 'FAILED'`
        assert.lengthOf(open, 0)
        assert.deepStrictEqual(yield* end, { canceled: 0, taken: 0, requests: 0 })
      }).pipe(Effect.provide(stores)),
    60_000
  )

  it.live("touches nothing while a node runs, which is one that goes on being heard of", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Fixture.accepted(yield* Fixture.world)
      yield* sql`create table cluster_runners (address text primary key, last_heartbeat timestamp)`
      yield* sql`insert into cluster_runners values ('10.0.0.1:23000', localtimestamp),
        ('10.0.0.2:23000', localtimestamp - interval '1 day'), ('10.0.0.3:23000', localtimestamp - interval '1 second')`
      const asked: Array<ReadonlyArray<string>> = []
      const ending = endOpen((addresses) =>
        Effect.andThen(
          Effect.sync(() => asked.push(addresses)),
          Effect.orDie(sql`update cluster_runners set last_heartbeat = localtimestamp where address = '10.0.0.1:23000'`)
        )
      )
      const refused = yield* Effect.flip(ending)
      assert.include(refused.message, "a node runs on this database (10.0.0.1:23000); stop it first")
      assert.deepStrictEqual(asked, [["10.0.0.1:23000", "10.0.0.3:23000"]])
      assert.lengthOf(yield* sql`select 1 from messages where due_at = 0`, 1)
    }).pipe(Effect.provide(stores)), 60_000)

  it.live("waits for the word of a node that died a moment ago, and goes on without it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Fixture.accepted(yield* Fixture.world)
      yield* sql`create table cluster_runners (address text primary key, last_heartbeat timestamp)`
      yield* sql`insert into cluster_runners values ('10.0.0.1:23000', localtimestamp - interval '18 seconds')`
      const asked: Array<ReadonlyArray<string>> = []
      const ended = yield* endOpen((addresses) => Effect.sync(() => void asked.push(addresses)))
      assert.deepInclude(ended, { canceled: 1 })
      assert.deepStrictEqual(asked, [["10.0.0.1:23000"]])
    }).pipe(Effect.provide(stores)), 60_000)

  it.live("brings a restored backup of an older version to this one's schema first", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Fixture.accepted(yield* Fixture.world)
      yield* sql`drop table webhook_events, webhooks`
      yield* sql`alter table messages alter column instructions set not null`
      yield* sql`drop index suppressions_by_reason`
      yield* sql`alter table suppressions drop column freed_at`
      yield* sql`delete from migrations where migration_id >= 43`
      assert.deepStrictEqual(yield* end, { canceled: 1, taken: 0, requests: 0 })
      assert.lengthOf(yield* sql`select 1 from migrations where name = 'webhooks'`, 1)
    }).pipe(Effect.provide(stores)), 60_000)
})
