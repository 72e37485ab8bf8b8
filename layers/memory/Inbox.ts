import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inboxOf, nameOf, type State } from "#layers/memory/State.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { filtersOf, Inbox, InboxItemNotFound, type InboxMessage, type Marking, mostUnread } from "#src/reports/Inbox.ts"
import { Clock, Effect, HashMap, Layer } from "effect"

/** Deletes items whose time has come, `limit` at most; how many. */
const swept = (state: State, limit: number, now: number): readonly [number, State] => {
  const gone = HashMap.toEntries(state.inbox).flatMap(([name, items]) =>
    Array.from(HashMap.values(items)).flatMap(({ expiresAt = Infinity, messageId }) =>
      expiresAt <= now ? [{ name, messageId }] : []
    )
  ).slice(0, limit)
  const inbox = gone.reduce(
    (left, { messageId, name }) => HashMap.modify(left, name, (items) => HashMap.remove(items, messageId)),
    state.inbox
  )
  return [gone.length, { ...state, inbox }]
}

/** A user's items that have not expired. */
const livingOf = (state: State, scope: Scope, userId: UserId, now: number): ReadonlyArray<InboxMessage> =>
  Array.from(inboxOf(state, scope, userId)).filter(({ expiresAt = Infinity }) => expiresAt > now)

const isAsked = ({ archivedAt, readAt }: InboxMessage, isArchived: boolean, isRead: boolean | undefined): boolean =>
  (archivedAt !== undefined) === isArchived && (isRead === undefined || (readAt !== undefined) === isRead)

const marked = (item: InboxMessage, { archived, opened, read }: Marking, now: number): InboxMessage => {
  const time = (before: number | undefined, isSet: boolean | undefined): number | undefined =>
    isSet === undefined ? before : isSet ? before ?? now : undefined
  return {
    ...item,
    readAt: time(item.readAt, read),
    openedAt: time(item.openedAt, opened),
    archivedAt: time(item.archivedAt, archived)
  }
}

const put = (state: State, scope: Scope, userId: UserId, items: ReadonlyArray<InboxMessage>): State => ({
  ...state,
  inbox: HashMap.modify(
    state.inbox,
    nameOf(scope, userId),
    (all) => HashMap.setMany(all, items.map((item) => [item.messageId, item] as const))
  )
})

/** The in-app inbox in memory. */
export const layer = Layer.effect(
  Inbox,
  Effect.gen(function*() {
    const { modify, read } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    return Inbox.of({
      list: Effect.fnUntraced(function*(scope, userId, options) {
        const { cursor, isArchived = false, isRead, limit } = options
        const now = yield* Clock.currentTimeMillis
        const rows = yield* read((state) => livingOf(state, scope, userId, now))
        return yield* Pages.cut({
          cursors,
          list: { scope, route: "inbox", filters: [userId, ...filtersOf(options)] },
          rows: rows.filter((item) => isAsked(item, isArchived, isRead)),
          position: (item) => ({ at: item.createdAt, id: item.messageId }),
          bytesOf: ({ rendered }) => JSON.stringify(rendered).length,
          limit,
          cursor
        })
      }),
      unread: Effect.fnUntraced(function*(scope, userId) {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* read((state) => livingOf(state, scope, userId, now))
        return Math.min(mostUnread, rows.filter((item) => isAsked(item, false, false)).length)
      }),
      mark: Effect.fnUntraced(function*(scope, userId, id: MessageId, marking) {
        const now = yield* Clock.currentTimeMillis
        const item = yield* modify((state) => {
          const found = livingOf(state, scope, userId, now).find(({ messageId }) => messageId === id)
          const changed = found && marked(found, marking, now)
          return [changed, changed === undefined ? state : put(state, scope, userId, [changed])]
        })
        return item ?? (yield* new InboxItemNotFound({ id }))
      }),
      markAll: Effect.fnUntraced(function*(scope, userId, marking, isRead) {
        const now = yield* Clock.currentTimeMillis
        yield* modify((state) => {
          const items = livingOf(state, scope, userId, now).filter((item) => isAsked(item, false, isRead))
          return [undefined, put(state, scope, userId, items.map((item) => marked(item, marking, now)))]
        })
      }),
      sweep: Effect.fnUntraced(function*(limit) {
        const now = yield* Clock.currentTimeMillis
        return yield* modify((state) => swept(state, limit, now))
      })
    })
  })
)
