import { Database } from "#layers/memory/Database.ts"
import type { AudienceRow } from "#layers/memory/AudienceRows.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf, type State } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { AudienceFilter } from "#schemas/Audience.ts"
import * as Told from "#layers/memory/webhooks/Told.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import type { PageQuery } from "#src/paging/Page.ts"
import { AudienceNotFound, Audiences } from "#src/people/Audiences.ts"
import * as Others from "#src/reports/webhooks/Others.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decodeFilter = Schema.decodeEffect(Schema.fromJsonString(AudienceFilter))

const record = Effect.fnUntraced(function*({ filter, scope: _, ...row }: AudienceRow) {
  return { ...row, filter: filter === undefined ? undefined : yield* decodeFilter(filter) }
}, orUnavailable)

const withRows = (state: State, rows: State["audiences"]["rows"]): State => ({
  ...state,
  audiences: { ...state.audiences, rows }
})

/** Audiences in memory. */
export const layer = Layer.effect(
  Audiences,
  Effect.gen(function*() {
    const { modify, read } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)

    const found = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* read((state) => HashMap.get(state.audiences.rows, nameOf(scope, id)))
      return Option.isSome(row) ? row.value : yield* new AudienceNotFound({ id })
    })

    const pageOf = Effect.fnUntraced(function*<Row>(
      list: Cursor.List,
      query: PageQuery,
      rows: Effect.Effect<ReadonlyArray<Row>>,
      idOf: (row: Row) => string,
      bytesOf?: (row: Row) => number
    ) {
      return yield* Pages.cutById({ ...query, cursors, list, rows: yield* rows, idOf, bytesOf })
    })

    return Audiences.of({
      put: Effect.fnUntraced(function*(scope, id, { description, filter, name, operator }) {
        const now = yield* Clock.currentTimeMillis
        const stored = nameOf(scope, id)
        const row = yield* modify((state) => {
          const before = Option.getOrUndefined(HashMap.get(state.audiences.rows, stored))
          const after: AudienceRow = {
            scope,
            id,
            name,
            description,
            filter: filter === undefined ? undefined : JSON.stringify(filter),
            operator,
            version: (before?.version ?? 0) + 1,
            created: before?.created ?? now,
            updated: now
          }
          const next = withRows(state, HashMap.set(state.audiences.rows, stored, after))
          return [after, Told.other(next, scope, Others.audience(id, after.version, filter), now)]
        })
        return yield* record(row)
      }),
      get: (scope, id) => Effect.flatMap(found(scope, id), record),
      list: Effect.fnUntraced(function*(scope, query) {
        const page = yield* pageOf(
          { scope, route: "audiences", filters: [] },
          query,
          read((state) => inScope(state.audiences.rows, scope)),
          (row) => row.id,
          ({ description, filter = "" }) => description.length + filter.length
        )
        return { ...page, items: yield* Effect.forEach(page.items, record) }
      }),
      remove: (scope, id) =>
        modify((state) => [
          HashMap.has(state.audiences.rows, nameOf(scope, id)),
          withRows(state, HashMap.remove(state.audiences.rows, nameOf(scope, id)))
        ]),
      members: Effect.fnUntraced(function*(scope, id, query) {
        const page = yield* pageOf(
          { scope, route: "audience members", filters: [id] },
          query,
          read((state) => state.audiences.members.filter((row) => row.scope === scope && row.audienceId === id)),
          (row) => row.userId
        )
        yield* found(scope, id)
        return {
          ...page,
          items: page.items.map(({ added, reason, userId, version }) => ({ userId, version, added, reason }))
        }
      })
    })
  })
)
