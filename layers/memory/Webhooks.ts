import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf, type State } from "#layers/memory/State.ts"
import type { WebhookRow } from "#layers/memory/WebhookRows.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import {
  most,
  TooManyWebhooks,
  untold,
  type WebhookDraft,
  WebhookNotFound,
  type WebhookRecord,
  Webhooks
} from "#src/reports/Webhooks.ts"
import * as Secrets from "#src/reports/webhooks/Secrets.ts"
import { Clock, Effect, HashMap, Layer, Option, Redacted, Struct } from "effect"

const record = (row: WebhookRow): WebhookRecord =>
  Struct.omit(row, ["claim", "claimedUntil", "failures", "pausedUntil", "scope", "secrets", "since"])

const withRow = (state: State, row: WebhookRow): State => ({
  ...state,
  webhooks: { ...state.webhooks, webhooks: HashMap.set(state.webhooks.webhooks, nameOf(row.scope, row.id), row) }
})

/** A call that is under way since before says nothing of a webhook that begins anew: its claim is over. */
const replaced = (row: WebhookRow, { description, state, types, url }: WebhookDraft, updated: number): WebhookRow => ({
  ...row,
  ...state === "ENABLED" && (row.state !== "ENABLED" || row.url !== url)
    ? { failures: 0, failing: undefined, gaveUpAt: undefined, pausedUntil: 0, claim: row.claim + 1, claimedUntil: 0 }
    : {},
  since: state === "ENABLED" && row.state !== "ENABLED" ? updated : row.since,
  url,
  types,
  description,
  state,
  updated
})

/** The webhooks in memory, their secrets sealed too. */
export const layer = Layer.effect(
  Webhooks,
  Effect.gen(function*() {
    const { modify, read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    const newId = yield* TypeId.generator("wh")
    const secrets = yield* Secrets.make

    const find = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* read(({ webhooks: { webhooks } }) => HashMap.get(webhooks, nameOf(scope, id)))
      return Option.isSome(row) ? row.value : yield* new WebhookNotFound({ id })
    })

    return Webhooks.of({
      create: Effect.fnUntraced(function*(scope, { description, state, types, url }, secret) {
        const id = yield* newId
        const now = yield* Clock.currentTimeMillis
        const made: WebhookRow = {
          scope,
          id,
          url,
          types,
          description,
          state,
          ...untold,
          secrets: yield* secrets.seal(scope, id, [{ secret: Redacted.value(secret) }]),
          failures: 0,
          since: 0,
          pausedUntil: 0,
          claim: 0,
          claimedUntil: 0,
          created: now,
          updated: undefined
        }
        const isFull = yield* modify((state) =>
          inScope(state.webhooks.webhooks, scope).length < most ? [false, withRow(state, made)] : [true, state]
        )
        return isFull ? yield* new TooManyWebhooks({ most }) : record(made)
      }),
      get: (scope, id) => Effect.map(find(scope, id), record),
      list: Effect.fnUntraced(function*(scope, { cursor, limit }) {
        const page = yield* Pages.cut({
          cursors,
          list: { scope, route: "webhooks", filters: [] },
          rows: yield* read((state) => inScope(state.webhooks.webhooks, scope)),
          position: (row) => ({ at: row.created, id: row.id }),
          limit,
          cursor
        })
        return { ...page, items: page.items.map(record) }
      }),
      replace: Effect.fnUntraced(function*(scope, id, draft) {
        const row = replaced(yield* find(scope, id), draft, yield* Clock.currentTimeMillis)
        yield* update((state) => withRow(state, row))
        return record(row)
      }, transaction),
      remove: Effect.fnUntraced(function*(scope, id) {
        yield* find(scope, id)
        yield* update((state) => {
          const { webhooks } = state.webhooks
          return { ...state, webhooks: { ...state.webhooks, webhooks: HashMap.remove(webhooks, nameOf(scope, id)) } }
        })
      }, transaction),
      renew: Effect.fnUntraced(function*(scope, id, secret) {
        const row = yield* find(scope, id)
        const renewed = yield* secrets.renewed(scope, id, row.secrets, secret)
        yield* update((state) => withRow(state, { ...row, secrets: renewed }))
      }, transaction)
    })
  })
)
