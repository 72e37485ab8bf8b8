import { Database } from "#layers/memory/Database.ts"
import { nameOf } from "#layers/memory/State.ts"
import type { WebhookRow } from "#layers/memory/WebhookRows.ts"
import type { WebhookState } from "#schemas/Webhook.ts"
import { type WebhookDraft, Webhooks } from "#src/reports/Webhooks.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, HashMap, Option, Redacted } from "effect"

const draft = (state: WebhookState, url = "https://example.com/"): WebhookDraft => ({
  url,
  types: undefined,
  description: undefined,
  state
})

const failed = { failing: { since: 5, error: "503" }, gaveUpAt: 6, lost: 3 }
const begun = { failing: undefined, gaveUpAt: undefined, lost: 3 }

/** One that failed. */
const failing = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const [{ read, update }, webhooks] = [yield* Database, yield* Webhooks]
  const { id } = yield* webhooks.create(scope, draft("ENABLED"), Redacted.make("a secret of ours"))
  const name = nameOf(scope, id)
  const fail = (row: WebhookRow): WebhookRow => ({ ...row, ...failed, failures: 7, pausedUntil: 99, claim: 4 })
  yield* update((state) => ({
    ...state,
    webhooks: { ...state.webhooks, webhooks: HashMap.modify(state.webhooks.webhooks, name, fail) }
  }))
  const row = read(({ webhooks }) => Option.getOrUndefined(HashMap.get(webhooks.webhooks, name)))
  return { id, row, scope, webhooks }
})

layer(Stores.layer)("Webhooks in memory", (it) => {
  it.effect("one that is enabled, or goes elsewhere, begins anew, and no other", () =>
    Effect.gen(function*() {
      const { id, row, scope, webhooks } = yield* failing
      assert.deepInclude(yield* webhooks.replace(scope, id, draft("ENABLED")), failed)
      assert.deepInclude(yield* row, { failures: 7, pausedUntil: 99, claim: 4 })
      const elsewhere = draft("ENABLED", "https://example.com/new")
      assert.deepInclude(yield* webhooks.replace(scope, id, elsewhere), begun)
      assert.deepInclude(yield* row, { failures: 0, pausedUntil: 0, claim: 5 })
    }))

  it.effect("one that is disabled goes on failing until it is enabled", () =>
    Effect.gen(function*() {
      const { id, row, scope, webhooks } = yield* failing
      assert.deepInclude(yield* webhooks.replace(scope, id, draft("DISABLED")), failed)
      assert.deepInclude(yield* row, { failures: 7, pausedUntil: 99 })
      assert.deepInclude(yield* webhooks.replace(scope, id, draft("ENABLED")), begun)
    }))

  it.effect("P9: their secrets are sealed", () =>
    Effect.gen(function*() {
      const { row } = yield* failing
      assert.notInclude(JSON.stringify(yield* row), "a secret of ours")
    }))
})
