import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf, type State } from "#layers/memory/State.ts"
import type { TenantUserRow } from "#layers/memory/TenantRows.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { JsonMap } from "#schemas/Optional.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import type { PageQuery } from "#src/paging/Page.ts"
import { type Membership, Memberships } from "#src/people/Memberships.ts"
import { TenantNotFound } from "#src/people/Tenants.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decode = Schema.decodeEffect(Schema.fromJsonString(JsonMap))

const keyOf = (scope: Scope, tenantId: string, userId: string) => nameOf(scope, JSON.stringify([tenantId, userId]))

const membership = Effect.fnUntraced(function*({ profile, tenantId, userId }: TenantUserRow) {
  return {
    tenantId,
    userId,
    profile: profile === undefined ? undefined : yield* decode(profile)
  } satisfies Membership
}, orUnavailable)

const one = (row: TenantUserRow | undefined) => row === undefined ? Effect.succeedNone : Effect.asSome(membership(row))

const ofUser = (state: State, scope: Scope, userId: string) =>
  inScope(state.tenantUsers, scope).filter((row) => row.userId === userId)

/** The state without what the user's memberships tell of the user. */
export const withoutProfiles = (state: State, scope: Scope, userId: string): State => ({
  ...state,
  tenantUsers: HashMap.map(
    state.tenantUsers,
    (row) => row.scope === scope && row.userId === userId ? { ...row, profile: undefined } : row
  )
})

const textOf = (profile: JsonMap | null): string | undefined => profile === null ? undefined : JSON.stringify(profile)

const bytesOf = ({ profile = "" }: TenantUserRow): number => profile.length

/** The memberships in memory. */
export const layer = Layer.effect(
  Memberships,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)

    const page = Effect.fnUntraced(function*(
      list: Cursor.List,
      rows: ReadonlyArray<TenantUserRow>,
      { cursor, limit }: PageQuery,
      idOf: (row: { readonly tenantId: string; readonly userId: string }) => string
    ) {
      const page = yield* Pages.cutById({ cursors, list, rows, idOf, bytesOf, limit, cursor })
      return { ...page, items: yield* Effect.forEach(page.items, membership) }
    })

    return Memberships.of({
      put: Effect.fnUntraced(function*(scope, userId, tenants) {
        const created = yield* Clock.currentTimeMillis
        for (const { profile, tenantId } of tenants) {
          const id = tenantId
          if (!(yield* read((state) => HashMap.has(state.tenants, nameOf(scope, id))))) {
            return yield* new TenantNotFound({ id })
          }
          const key = keyOf(scope, tenantId, userId)
          yield* update((state) => {
            const before = Option.getOrUndefined(HashMap.get(state.tenantUsers, key))
            const text = profile === undefined ? before?.profile : textOf(profile)
            const row = { scope, tenantId, userId, profile: text, created }
            return { ...state, tenantUsers: HashMap.set(state.tenantUsers, key, row) }
          })
        }
      }, transaction),
      remove: (scope, userId, tenantId) =>
        update((state) => ({
          ...state,
          tenantUsers: HashMap.remove(state.tenantUsers, keyOf(scope, tenantId, userId))
        })),
      removeAll: (scope, userId) =>
        update((state) => ({
          ...state,
          tenantUsers: HashMap.filter(state.tenantUsers, (row) => row.scope !== scope || row.userId !== userId)
        })),
      ofUser: Effect.fnUntraced(function*(scope, userId, query) {
        const rows = yield* read((state) => ofUser(state, scope, userId))
        const list = { scope, route: "tenants of a user", filters: [userId] }
        return yield* page(list, rows, query, (row) => row.tenantId)
      }),
      ofTenant: Effect.fnUntraced(function*(scope, tenantId, query) {
        const rows = yield* read((state) =>
          inScope(state.tenantUsers, scope).filter((row) => row.tenantId === tenantId)
        )
        const list = { scope, route: "users of a tenant", filters: [tenantId] }
        return yield* page(list, rows, query, (row) => row.userId)
      }),
      find: (scope, userId, tenantId) =>
        Effect.flatMap(
          read((state) => HashMap.get(state.tenantUsers, keyOf(scope, tenantId, userId))),
          (row) => one(Option.getOrUndefined(row))
        ),
      sole: (scope, userId) =>
        Effect.flatMap(
          read((state) => ofUser(state, scope, userId)),
          (rows) => one(rows.length === 1 ? rows[0] : undefined)
        )
    })
  })
)
