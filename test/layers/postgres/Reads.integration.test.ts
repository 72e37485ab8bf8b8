import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Leftovers from "#layers/postgres/retention/Leftovers.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Members } from "#src/people/Members.ts"
import { Audit } from "#src/reports/Audit.ts"
import { MessageLog, type MessageQuery } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Statements from "#test/layers/postgres/Statements.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const scope = Scope.make(1)

const now = Date.UTC(2026, 10, 21)

/** Each statement with a plan for its parameters, and with the one that is kept for all of them. */
const plans = ["force_custom_plan", "force_generic_plan"]

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })(
  "What statements read, however much is stored and whatever is known of it",
  (it) => {
    it.effect("a page of the audit reads a page of it", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const audit = yield* Audit
        yield* sql`insert into audit_events (scope, id, at, type, source, target, actor)
          select 1, 'aev_' || md5(n::text), n, '', '', '', '{"id":""}' from generate_series(1, 5000) n`
        yield* sql`analyze audit_events`
        const first = yield* Reads.rows("audit_events", audit.list(scope, { cursor: undefined, limit: 10 }))
        assert.isAtMost(first.rows, 20)
        assert.strictEqual(first.result.items[0]?.at, 5000)
        const second = yield* Reads.rows("audit_events", audit.list(scope, { cursor: first.result.cursor, limit: 10 }))
        assert.isAtMost(second.rows, 20)
        assert.strictEqual(second.result.items[0]?.at, 4990)
      }))

    it.effect.each(plans)("a page of the requests in a state reads those alone (%s)", (plan) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const log = yield* MessageLog
        yield* sql`delete from expansions`
        yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, accepted_at, advanced_at)
          select 1, '1-6b000000-' || lpad(n::text, 24, '0'), 0, 'published', '[]', '{}', '',
            case when n <= 30 then 'FAILED' else 'COMPLETED' end, 0, 0 from generate_series(1, 5000) n`
        const page = (cursor: string | undefined) =>
          Reads.rows(
            "expansions",
            Effect.andThen(
              sql`select set_config('plan_cache_mode', ${plan}, true)`,
              log.requests(scope, { cursor, limit: 20, state: "FAILED" })
            )
          )
        const first = yield* page(undefined)
        assert.deepStrictEqual([first.result.items.length, first.result.items[0]?.id.slice(-4)], [20, "0030"])
        assert.isAtMost(first.rows, 30)
        const second = yield* page(first.result.cursor)
        assert.deepStrictEqual([second.result.items.length, second.result.cursor], [10, undefined])
        assert.isAtMost(second.rows, 30)
      }))

    it.effect.each(plans)(
      "adding to a bulk job reads no users but those that are added again (%s)",
      (plan) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const jobs = yield* Jobs
          const job = `job ${plan}`
          yield* sql`alter table bulk_users set (autovacuum_enabled = false)`
          yield* sql`insert into bulk_jobs (scope, id, definition, received, created_at) values (1, ${job}, '', 5000, 0)`
          // Long keys make their index deeper than that of the positions, and so dearer where nothing is known of the table.
          const key = "a person's key ".repeat(10)
          yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user)
          select 1, ${job}, n, ${key} || n, '{}' from generate_series(0, 4999) n`
          const users = Array.makeBy(100, (n) => ({ key: `${key}${4_990 + n}`, user: {}, error: undefined }))
          const { result, rows } = yield* Reads.rows(
            "bulk_users",
            Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, jobs.add(scope, job, users))
          )
          assert.strictEqual(result.size, 10)
          assert.isAtMost(rows, 200)
        })
    )

    it.effect.each(plans)(
      "a search of messages from some time on reads no request that ended since but was short (%s)",
      (plan) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const log = yield* MessageLog
          yield* TestClock.setTime(now)
          yield* sql`delete from expansions`
          yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, accepted_at, advanced_at, ended_at)
          select 1, '1-' || to_hex(s) || '-' || rpad('', 24, '0'), 0, 'published', '[]', '{}', '', 'COMPLETED', s * 1000, s * 1000, s * 1000 + 20000
          from generate_series(${now / 1_000 - 600_000}::bigint, ${now / 1_000}::bigint, 120) s`
          yield* sql`analyze expansions`
          const { rows } = yield* Reads.rows(
            "expansions",
            Effect.andThen(
              sql`select set_config('plan_cache_mode', ${plan}, true)`,
              log.list(scope, { ...Fixture.anything, enqueuedAfter: now - 500_000_000 })
            )
          )
          assert.isAtMost(rows, 10)
        })
    )

    it.effect("following a few users' changes reads what is stored of them, and of nobody else", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const steps = yield* AudienceSteps
        yield* sql`insert into audiences (scope, id, name, description, filter, version, created_at, updated_at)
          select 1, 'audience ' || n, '', '', '{"filters":[]}', 1, 0, 0 from generate_series(1, 10) n`
        yield* sql`insert into profiles select 1, 'user ' || n, '{}', 0, 0 from generate_series(1, 5000) n`
        yield* sql`insert into audience_members select 1, 'audience ' || n % 10, 'user ' || n, 1, 0, '' from generate_series(1, 5000) n`
        for (const plan of plans) {
          yield* sql`delete from audience_changes`
          yield* sql`insert into audience_changes (scope, user_id) select 1, 'user ' || n from generate_series(1, 300) n`
          const follow = Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, steps.advance)
          const { result, rows } = yield* Reads.rows("profiles", Reads.rows("audience_members", follow))
          assert.isTrue(result.result)
          // Once for its length, and once for itself.
          assert.isAtMost(rows, 700, plan)
          assert.isAtMost(result.rows, 2_000, plan)
        }
      }))

    it.effect("a page of messages opens the days that it is found in, not every day there is", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const log = yield* MessageLog
        yield* TestClock.setTime(now)
        yield* Effect.forEach(Array.range(1, 60), (ago) => {
          const start = now / 1_000 - ago * 86_400
          const name = `partition_${ago}`
          return Effect.forEach(
            ["messages", "attempts", "history", "outputs"],
            (table) =>
              sql.unsafe(`create table ${table}_${name} partition of ${table}
              for values from ('1-${start.toString(16)}') to ('1-${(start + 86_400).toString(16)}')`)
          )
        })
        // A message an hour for fifty days; ada's are of the last three hours.
        yield* sql.unsafe(
          `insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
            recipient_name, enqueued_at, sent_at, due_at, providers, recipient, instructions)
          select 1, id, id, 1, 'bulk', '1:user:' || name, 'published', 'SENT', '', '', name, at, at, case when n % 2 = 0 then at + 1 end,
            '{smtp}', '{}', '{}'
          from (select n, case when n <= 3 then 'ada' else 'bob' end as name, ${now} - n * 3600000::bigint as at,
            '1-' || to_hex(${
            now / 1_000
          } - n * 3600) || '-' || lpad(n::text, 24, '0') as id from generate_series(1, 1200) n) x`
        )
        const list = (query: Partial<MessageQuery>) =>
          Reads.days("messages", Reads.days("attempts", log.list(scope, { ...Fixture.anything, limit: 2, ...query })))

        const first = yield* list({ recipient: "ada" })
        assert.strictEqual(first.result.result.items.length, 2)
        assert.isAtMost(first.days, 5)
        assert.isAtMost(first.result.days, 3)
        const last = yield* list({ recipient: "ada", cursor: first.result.result.cursor })
        assert.strictEqual(last.result.result.items.length, 1)
        const all = yield* log.list(scope, { ...Fixture.anything, limit: 2_000 })
        assert.deepStrictEqual(
          all.items.map(({ enqueued }) => enqueued),
          Array.makeBy(1_200, (n) => now - (n + 1) * 3_600_000)
        )

        const [message] = all.items
        const id = MessageId.make(message?.id ?? "")
        assert.isAtMost((yield* Reads.days("attempts", log.get(scope, id))).days, 1)
        assert.isAtMost((yield* Reads.days("outputs", log.history(scope, id))).days, 1)
        assert.isAtMost((yield* Reads.days("messages", log.archive(scope, id))).days, 1)
      }))

    it.effect("a page of a list's subscribers who are in a tenant looks up those, and does not read the tenant", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const members = yield* Members
        yield* sql`insert into lists (scope, id, name, created_at, updated_at) values (1, 'list', '', 0, 0)`
        yield* sql`insert into list_subscriptions select 1, 'list', 'user ' || n, null, 0 from generate_series(1, 5000) n`
        yield* sql`insert into tenants (scope, id, name, created_at, updated_at) values (1, 'tenant', '', 0, 0)`
        yield* sql`insert into tenant_users select 1, 'tenant', 'user ' || n, null, 0, 0 from generate_series(1, 5000) n`
        yield* sql`analyze list_subscriptions, tenant_users, tenants`
        const page = members.page(scope, { _tag: "List", id: "list" }, {
          after: undefined,
          limit: 50,
          memberOf: ["tenant"]
        })
        const { result, rows } = yield* Reads.rows("tenant_users", page)
        assert.strictEqual(result.length, 50)
        assert.isAtMost(rows, 100)
      }))

    it.effect("a list of whom hardly anybody is in a tenant is read in pieces, none of which can outlast a look", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const members = yield* Members
        yield* sql`insert into lists (scope, id, name, created_at, updated_at) values (3, 'list', '', 0, 0)`
        yield* sql`insert into list_subscriptions select 3, 'list', 'user ' || n, null, 0 from generate_series(10000, 24999) n`
        yield* sql`insert into tenants (scope, id, name, created_at, updated_at) values (3, 'tenant', '', 0, 0)`
        yield* sql`insert into tenant_users select 3, 'tenant', 'user ' || n, null, 0, 0
          from unnest(array[10000, 20000, 24999]) n`
        const page = (limit: number) =>
          members.page(Scope.make(3), { _tag: "List", id: "list" }, { after: undefined, limit, memberOf: ["tenant"] })
        const pieces = Statements.make()
        const { result, statements } = yield* Effect.provide(pieces.counting(page(50)), pieces.layer)
        assert.deepStrictEqual(result.map(({ userId }) => userId), ["user 10000", "user 20000", "user 24999"])
        assert.isAtLeast(statements, 15_000 / 4_000)
        assert.deepStrictEqual((yield* page(2)).map(({ userId }) => userId), ["user 10000", "user 20000"])
      }))

    it.effect.each(plans)(
      "a later page of a large list of a pattern, or of a tenant below another, reads no earlier one (%s)",
      (plan) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const members = yield* Members
          const id = `large ${plan}`
          yield* sql`insert into lists (scope, id, name, created_at, updated_at) values (2, ${id}, '', 0, 0)`
          yield* sql`insert into list_subscriptions select 2, ${id}, 'user ' || n, null, 0 from generate_series(10001, 15000) n`
          yield* sql`insert into tenants (scope, id, name, created_at, updated_at) values (2, ${id}, '', 0, 0)`
          yield* sql`insert into tenant_users select 2, ${id}, 'user ' || n, null, 0, 0 from generate_series(10001, 15000) n`
          yield* sql`analyze list_subscriptions, tenant_users, tenants`
          const pattern = { text: "large", expression: "^large", prefix: "large" }
          for (
            const [table, source, group] of [
              ["list_subscriptions", { _tag: "Pattern", pattern }, id],
              ["tenant_users", { _tag: "Tenant", id, includeChildren: true }, ""]
            ] as const
          ) {
            const page = members.page(Scope.make(2), source, {
              after: { group, userId: "user 14900" },
              limit: 50,
              memberOf: []
            })
            const { result, rows } = yield* Reads.rows(
              table,
              Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, page)
            )
            assert.deepStrictEqual([result.length, result[0]?.userId], [50, "user 14901"])
            assert.isAtMost(rows, 300, table)
          }
        })
    )

    it.effect("what is left of days that went is read once, however many batches delete it", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into inbox (scope, user_id, message_id, created_at, rendered)
          select 1, 'user ' || n % 100, '1-10000000-' || lpad(n::text, 24, '0'), n, '' from generate_series(1, 20000) n`
        yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
            recipient_name, enqueued_at, recipient, instructions)
          select scope, message_id, message_id, 1, 'bulk', '', 'published', 'SENT', '', '', '', 0, '{}', '{}' from inbox`
        yield* sql`insert into attempts (scope, message_id, number, epoch, channel, provider, state, started_at)
          select scope, message_id, 1, 1, '', '', 'accepted', 0 from inbox`
        yield* sql`analyze inbox, messages_default, attempts_default`
        const drop = Leftovers.drop(sql, "1-20000000", true)
        const { result, rows } = yield* Reads.rows(
          "inbox",
          Reads.rows("messages_default", Reads.rows("attempts_default", drop))
        )
        assert.deepStrictEqual(yield* sql`select 1 from inbox union all select 1 from attempts_default limit 1`, [])
        assert.isAtMost(rows, 20_000, "items")
        assert.isAtMost(result.rows, 40_000, "messages")
        assert.isAtMost(result.result.rows, 20_000, "attempts")
      }))
  }
)
