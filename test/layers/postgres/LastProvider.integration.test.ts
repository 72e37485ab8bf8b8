import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { LongWork } from "#src/store/LongWork.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const rounds = 20
const draft = { provider: "sendgrid", title: undefined, alias: undefined, settings: undefined }

/** A partition for each of so many days, from the first of 2025. */
const days = (table: string, count: number) => `
  do $$ begin
    for day in 0..${count - 1} loop
      execute format('create table ${table}_of_%s (like ${table} including defaults)', day);
      execute format('alter table ${table} attach partition ${table}_of_%s for values from (%L) to (%L)', day,
        '1-' || to_hex(1735689600 + day * 86400), '1-' || to_hex(1735689600 + (day + 1) * 86400));
    end loop;
  end $$`

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "Provider configurations on Postgres",
  (it) => {
    it.effect(
      "of two that a strategy may do with, which are removed at once, one stays",
      () =>
        Effect.gen(function*() {
          const { scope } = yield* Fixture.world
          const configurations = yield* ProviderConfigurations
          const strategies = yield* Strategies
          yield* strategies.create(scope, { name: "s", routing: { method: "single", channels: ["sendgrid"] } })
          let { id: kept } = yield* configurations.create(scope, draft)
          for (let round = 0; round < rounds; round++) {
            const { id: other } = yield* configurations.create(scope, draft)
            yield* Effect.forEach(
              [kept, other],
              (id) => Effect.catchTag(configurations.remove(scope, id), "ConfigurationInUse", () => Effect.void),
              { concurrency: "unbounded" }
            )
            const left = yield* configurations.installed(scope)
            assert.lengthOf(left, 1, `round ${round}`)
            kept = left[0]?.id ?? ""
          }
        }),
      60_000
    )

    it.effect("a strategy or template that names none of what is removed is not read", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const sql = yield* SqlClient.SqlClient
        const configurations = yield* ProviderConfigurations
        const { id } = yield* configurations.create(scope, draft)
        yield* sql`insert into routing_strategies (scope, id, strategy, created_at) values (${scope}, 's', '"unread"', 0)`
        yield* sql`insert into tenants (scope, id, name, created_at, updated_at) values (${scope}, 'acme', 'Acme', 0, 0)`
        yield* sql`insert into tenant_templates (scope, tenant_id, template_id, latest, created_at, updated_at)
          values (${scope}, 'acme', 't', 1, 0, 0)`
        yield* sql`insert into tenant_template_versions (scope, tenant_id, template_id, version, template, created_at)
          values (${scope}, 'acme', 't', 1, '"unread"', 0)`
        yield* configurations.remove(scope, id)
        assert.deepStrictEqual(yield* configurations.installed(scope), [])
      }))

    it.effect(
      "P1: thousands of messages that were tried over it are renamed in a moment, however many days are kept",
      () =>
        Effect.gen(function*() {
          const { scope } = yield* Fixture.world
          const sql = yield* SqlClient.SqlClient
          const configurations = yield* ProviderConfigurations
          yield* sql.unsafe(days("messages", 200)).unprepared
          yield* sql.unsafe(days("attempts", 200)).unprepared
          const { id } = yield* configurations.create(scope, draft)
          yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event, template,
              recipient_name, enqueued_at, recipient, instructions, providers)
            select ${scope}, id, id, 1, 'bulk', '1:user:' || n, 'published', 'ROUTED', n % 2, '', '', n::text, 0, '{}', '{}', '{sendgrid}'
            from (select n, '1-' || to_hex(1735689600 + n % 200 * 86400) || '-' || lpad(n::text, 24, '0') as id
              from generate_series(1, 5000) n) x`
          yield* sql`insert into attempts (scope, message_id, number, epoch, channel, provider, state, kind, started_at)
            select scope, id, 1, 1, 'email', 'sendgrid', 'rejected', 'Unavailable', 0 from messages where scope = ${scope}`
          let begun = 0
          const [took] = yield* configurations.remove(scope, id).pipe(
            Effect.provideService(LongWork, Effect.sync(() => void begun++)),
            Effect.timed
          )
          assert.strictEqual(begun, 1)
          assert.isBelow(Duration.toSeconds(took), 5)
          assert.deepStrictEqual(
            yield* sql`select provider, providers, count(*)::int as messages from messages m
              join attempts a on a.scope = m.scope and a.message_id = m.id where m.scope = ${scope} group by 1, 2`,
            [{ provider: id, providers: [id], messages: 5_000 }]
          )
        }),
      180_000
    )
  }
)
