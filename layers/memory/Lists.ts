import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, type ListRow, nameOf, type State, type SubscriptionRow } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import type { ListId } from "#schemas/List.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import type { PageQuery } from "#src/paging/Page.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import { ListNotFound, type ListRecord, Lists, type NewSubscription, SubscriptionNotFound } from "#src/people/Lists.ts"
import { StoredPreferences, toStored } from "#src/people/StoredPreferences.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decodePreferences = Schema.decodeEffect(StoredPreferences)

const preferencesOf = (text: string | null) =>
  decodePreferences(text).pipe(
    Effect.map((preferences) => preferences ?? undefined),
    orUnavailable
  )

const record = Effect.fnUntraced(function*(row: ListRow): Effect.fn.Return<ListRecord, StoreUnavailable> {
  const { created, id, name, preferences, updated } = row
  return { id, name, preferences: yield* preferencesOf(preferences), created, updated }
})

const subscriptionsOf = (state: State, scope: Scope, listId: string): HashMap.HashMap<string, SubscriptionRow> =>
  Option.getOrElse(
    HashMap.get(state.subscriptions, nameOf(scope, listId)),
    HashMap.empty<string, SubscriptionRow>
  )

const withSubscriptions = (
  state: State,
  scope: Scope,
  listId: string,
  subscriptions: HashMap.HashMap<string, SubscriptionRow>
): State => ({ ...state, subscriptions: HashMap.set(state.subscriptions, nameOf(scope, listId), subscriptions) })

const findRow = (state: State, scope: Scope, id: string): ListRow | undefined =>
  Option.getOrUndefined(HashMap.get(state.lists, nameOf(scope, id)))

const withRow = (state: State, row: ListRow): State => ({
  ...state,
  lists: HashMap.set(state.lists, nameOf(row.scope, row.id), row)
})

const isListed = (state: State, scope: Scope, id: string): boolean => {
  const row = findRow(state, scope, id)
  return row !== undefined && row.deletedAt === undefined
}

/** Makes the list if there is none, or brings it back. */
const ensured = (state: State, scope: Scope, id: ListId, now: number): State => {
  const row = findRow(state, scope, id)
  if (row === undefined) {
    return withRow(state, { scope, id, name: id, preferences: null, created: now, updated: now, deletedAt: undefined })
  }
  return row.deletedAt === undefined ? state : withRow(state, { ...row, updated: now, deletedAt: undefined })
}

/** Of several for one user, the last counts. `existing`: what becomes of a subscription that is there already. */
const subscribed = (
  state: State,
  scope: Scope,
  id: ListId,
  added: ReadonlyArray<NewSubscription>,
  now: number,
  existing: (row: SubscriptionRow, preferences: string | null) => SubscriptionRow
): State =>
  withSubscriptions(
    state,
    scope,
    id,
    added.reduce((rows, { preferences, userId }) => {
      const row = Option.getOrUndefined(HashMap.get(rows, userId))
      const text = toStored(preferences)
      const fresh = { scope, listId: id, userId, preferences: text, created: now }
      return HashMap.set(rows, userId, row === undefined ? fresh : existing(row, text))
    }, subscriptionsOf(state, scope, id))
  )

const overwritten = (row: SubscriptionRow, preferences: string | null): SubscriptionRow => ({ ...row, preferences })

/** Lists and subscriptions in memory. */
export const layer = Layer.effect(
  Lists,
  Effect.gen(function*() {
    const { modify, read, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)

    const change = (f: (state: State, now: number) => State) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => update((state) => f(state, now)))

    const pageOf = Effect.fnUntraced(function*<Row extends { readonly preferences: string | null }>(
      list: Cursor.List,
      query: PageQuery,
      rows: Effect.Effect<ReadonlyArray<Row>>,
      idOf: (row: Row) => string
    ) {
      const bytesOf = ({ preferences }: Row) => preferences?.length ?? 0
      return yield* Pages.cutById({ ...query, cursors, list, rows: yield* rows, idOf, bytesOf })
    })

    const found = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* read((state) => findRow(state, scope, id))
      return row === undefined || row.deletedAt !== undefined ? yield* new ListNotFound({ id }) : row
    })

    return Lists.of({
      put: (scope, id, { name, preferences }) =>
        change((state, now) =>
          withRow(state, {
            scope,
            id,
            name,
            preferences: toStored(preferences),
            created: findRow(state, scope, id)?.created ?? now,
            updated: now,
            deletedAt: undefined
          })
        ),
      get: (scope, id) => Effect.flatMap(found(scope, id), record),
      list: Effect.fnUntraced(function*(scope, { pattern, ...query }) {
        const page = yield* pageOf(
          { scope, route: "lists", filters: [pattern?.text ?? null] },
          query,
          read((state) =>
            inScope(state.lists, scope).filter((row) =>
              row.deletedAt === undefined && (pattern === undefined || ListPattern.matches(pattern, row.id))
            )
          ),
          (row) => row.id
        )
        return { ...page, items: yield* Effect.forEach(page.items, record) }
      }),
      remove: Effect.fnUntraced(function*(scope, id) {
        const now = yield* Clock.currentTimeMillis
        const removed = yield* modify((state) => {
          const row = findRow(state, scope, id)
          return row === undefined || row.deletedAt !== undefined
            ? [false, state]
            : [true, withRow(state, { ...row, deletedAt: now })]
        })
        if (!removed) return yield* new ListNotFound({ id })
      }),
      restore: Effect.fnUntraced(function*(scope, id) {
        const before = yield* modify((state) => {
          const row = findRow(state, scope, id)
          return [row, row === undefined ? state : withRow(state, { ...row, deletedAt: undefined })]
        })
        return before === undefined ? yield* new ListNotFound({ id }) : before.deletedAt !== undefined
      }),
      subscriptions: Effect.fnUntraced(function*(scope, id, query) {
        const page = yield* pageOf(
          { scope, route: "list subscriptions", filters: [id] },
          query,
          read((state) => Array.from(HashMap.values(subscriptionsOf(state, scope, id)))),
          (row) => row.userId
        )
        yield* found(scope, id)
        const items = yield* Effect.forEach(
          page.items,
          ({ created, preferences, userId }) =>
            Effect.map(preferencesOf(preferences), (preferences) => ({ userId, preferences, created }))
        )
        return { ...page, items }
      }),
      subscribe: (scope, id, added) =>
        change((state, now) => subscribed(ensured(state, scope, id, now), scope, id, added, now, (row) => row)),
      replaceSubscriptions: (scope, id, added) =>
        change((state, now) => {
          const users = new Set<string>(added.map(({ userId }) => userId))
          const kept = HashMap.filter(subscriptionsOf(state, scope, id), (_, userId) => users.has(userId))
          const cleared = withSubscriptions(ensured(state, scope, id, now), scope, id, kept)
          return subscribed(cleared, scope, id, added, now, overwritten)
        }),
      putSubscription: (scope, id, subscription) =>
        change((state, now) => subscribed(ensured(state, scope, id, now), scope, id, [subscription], now, overwritten)),
      removeSubscription: Effect.fnUntraced(function*(scope, listId, userId) {
        const refusal = yield* modify<ListNotFound | SubscriptionNotFound | undefined>((state) => {
          const rows = subscriptionsOf(state, scope, listId)
          if (HashMap.has(rows, userId)) {
            return [undefined, withSubscriptions(state, scope, listId, HashMap.remove(rows, userId))]
          }
          const isThere = isListed(state, scope, listId)
          return [isThere ? new SubscriptionNotFound({ listId, userId }) : new ListNotFound({ id: listId }), state]
        })
        if (refusal !== undefined) return yield* refusal
      }),
      listsOf: Effect.fnUntraced(function*(scope, userId, query) {
        const page = yield* pageOf(
          { scope, route: "lists of a user", filters: [userId] },
          query,
          read((state) =>
            inScope(state.lists, scope).flatMap((row) => {
              const subscription = HashMap.get(subscriptionsOf(state, scope, row.id), userId)
              return row.deletedAt !== undefined || Option.isNone(subscription)
                ? []
                : [{ ...row, preferences: subscription.value.preferences }]
            })
          ),
          (row) => row.id
        )
        return { ...page, items: yield* Effect.forEach(page.items, record) }
      }),
      join: (scope, userId, memberships) =>
        change((state, now) =>
          memberships.reduce((next, { listId, preferences }) =>
            subscribed(
              ensured(next, scope, listId, now),
              scope,
              listId,
              [{ userId, preferences }],
              now,
              (row, text) => ({ ...row, preferences: text ?? row.preferences })
            ), state)
        ),
      leave: (scope, userId) =>
        change((state) => ({
          ...state,
          subscriptions: HashMap.map(
            state.subscriptions,
            (rows) => HashMap.filter(rows, (row) => row.scope !== scope || row.userId !== userId)
          )
        }))
    })
  })
)
