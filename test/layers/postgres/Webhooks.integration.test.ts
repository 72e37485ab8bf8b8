import type { WebhookState } from "#schemas/Webhook.ts"
import { Outbox } from "#src/reports/webhooks/Outbox.ts"
import * as Secrets from "#src/reports/webhooks/Secrets.ts"
import { type WebhookDraft, Webhooks } from "#src/reports/Webhooks.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

const url = "https://example.com/"

const draft = (state: WebhookState, to = url): WebhookDraft => ({
  url: to,
  types: undefined,
  description: undefined,
  state
})

/** One that failed. */
const failing = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const [sql, webhooks] = [yield* SqlClient.SqlClient, yield* Webhooks]
  const { id } = yield* webhooks.create(scope, draft("ENABLED"), Redacted.make("a secret of ours"))
  yield* sql`update webhooks set failures = 7, failing_since = 5, error = '503', gave_up_at = 6, lost = 3,
    paused_until = 99, claim = 4, claimed_until = 88 where scope = ${scope}`
  const look = Effect.map(
    sql`select failures, paused_until::int as paused, claim::int as claim, claimed_until::int as claimed, secrets
      from webhooks where scope = ${scope}`,
    ([row]) => row
  )
  return { id, look, scope, webhooks }
})

const failed = { failing: { since: 5, error: "503" }, gaveUpAt: 6, lost: 3 }

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)))("Webhooks in Postgres", (it) => {
  it.effect("one that is enabled, or goes elsewhere, begins anew; what was lost stays told", () =>
    Effect.gen(function*() {
      const moved = yield* failing
      const replaced = yield* moved.webhooks.replace(moved.scope, moved.id, draft("ENABLED", `${url}new`))
      assert.deepInclude(replaced, { failing: undefined, gaveUpAt: undefined, lost: 3 })
      assert.deepInclude(yield* moved.look, { failures: 0, paused: 0, claim: 5, claimed: 0 })

      const { id, look, scope, webhooks } = yield* failing
      assert.deepInclude(yield* webhooks.replace(scope, id, draft("DISABLED")), failed)
      assert.deepInclude(yield* webhooks.replace(scope, id, draft("DISABLED", `${url}new`)), failed)
      assert.deepInclude(yield* look, { failures: 7, paused: 99 })
      const enabled = yield* webhooks.replace(scope, id, draft("ENABLED", `${url}new`))
      assert.deepInclude(enabled, { failing: undefined, gaveUpAt: undefined, lost: 3 })
      assert.deepInclude(yield* look, { failures: 0, paused: 0 })
    }))

  it.effect("one that stays what it is goes on failing", () =>
    Effect.gen(function*() {
      const { id, look, scope, webhooks } = yield* failing
      const same = { ...draft("ENABLED"), description: "another", types: ["message:updated"] } as const
      assert.deepInclude(yield* webhooks.replace(scope, id, same), failed)
      assert.deepInclude(yield* look, { failures: 7, paused: 99, claim: 4, claimed: 88 })
    }))

  it.effect("X1: one that another version wrote is left out of lists, and the others are listed", () =>
    Effect.gen(function*() {
      const { id, scope, webhooks } = yield* failing
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into webhooks (scope, id, url, types, state, secrets, created_at) values
        (${scope}, 'wh_later', '', null, 'LATER', '', 0), (${scope}, 'wh_more', '', '{later}', 'ENABLED', '', 0)`
      const { items } = yield* webhooks.list(scope, { limit: 10, cursor: undefined })
      assert.deepStrictEqual(items.map((one) => one.id), [id])
    }))

  it.effect("a sweep reads nothing of what waits for those that are told of it", () =>
    Effect.gen(function*() {
      const { id, scope } = yield* failing
      const sql = yield* SqlClient.SqlClient
      const outbox = yield* Outbox
      yield* sql`insert into webhook_events (scope, webhook_id, id, type, at, stored_at, due_at)
        select ${scope}, case when n % 200 = 0 then 'wh_gone' else ${id} end, n::text, 'message:updated', 1, 1, 1
        from generate_series(1, 2000) n`
      const swept = yield* Reads.rows("webhook_events", outbox.sweep(100))
      assert.strictEqual(swept.result, 10)
      assert.isAtMost(swept.rows, 100)
    }))

  it.effect("P9: no secret stands in the database, and both sign after a renewal", () =>
    Effect.gen(function*() {
      const { id, look, scope, webhooks } = yield* failing
      yield* webhooks.renew(scope, id, Redacted.make("the next secret"))
      const row = yield* look
      for (const text of ["a secret of ours", "the next secret"]) assert.notInclude(JSON.stringify(row), text)
      const { open } = yield* Secrets.make
      const signing = yield* open(scope, id, String(row?.["secrets"]))
      assert.deepStrictEqual(signing.map((one) => Redacted.value(one)), ["the next secret", "a secret of ours"])
    }).pipe(Effect.provide(Layer.merge(secretKey(7), NodeCrypto.layer))))
})
