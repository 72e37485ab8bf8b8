import { Database } from "#layers/memory/Database.ts"
import { recordOf } from "#layers/memory/Expansions.ts"
import {
  findMessage,
  inScope,
  type MessageRow,
  messagesOf,
  nameOf,
  putMessage,
  type State
} from "#layers/memory/State.ts"
import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import { Recipient } from "#schemas/Recipient.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { MessageNotFound } from "#src/delivery/Journal.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import {
  MessageLog,
  type MessageQuery,
  type MessageRecord,
  RequestNotFound,
  transient
} from "#src/reports/MessageLog.ts"
import { Effect, HashMap, Layer, Option, Schema } from "effect"

const decodePayload = Schema.decodeEffect(Schema.Struct({
  recipient: Schema.fromJsonString(Recipient),
  instructions: Schema.fromJsonString(Instructions)
}))

/**
 * Whether a channel of a message that was sent over another one will be tried again: it has accepted nothing, and
 * failed for a transient reason, or its call was not made after all.
 */
const isUnfinished = ({ attempts }: MessageRow): boolean =>
  attempts.some(({ channel, kind, state }) =>
    (state === "rejected" || state === "unknown") && (kind === null || transient.includes(kind)) &&
    !attempts.some((other) => other.channel === channel && other.state === "accepted")
  )

const userOf = ({ recipientKey, recipientName, scope }: MessageRow): string | undefined =>
  recipientKey === Recipients.userKey(scope, recipientName) ? recipientName : undefined

/** A message as readers see it. */
export const record = (row: MessageRow): MessageRecord => ({
  id: row.id,
  requestId: row.requestId,
  status: row.status,
  reason: row.reason,
  error: row.error,
  event: row.event,
  template: row.template,
  recipient: row.recipientName,
  userId: userOf(row),
  tenantId: row.tenantId,
  tags: row.tags,
  traceId: row.traceId,
  enqueued: row.enqueuedAt,
  sent: row.sent,
  delivered: row.delivered,
  opened: row.opened,
  clicked: row.clicked,
  canceledAt: row.canceledAt,
  willRetry: row.dueAt !== undefined && row.dueAt > 0 && row.providers.length > 0 &&
    (row.sent === undefined || isUnfinished(row)),
  archived: row.archived
})

const attemptsOf = (row: MessageRow | undefined): ReadonlyArray<Attempt> =>
  (row?.attempts ?? []).map(({ epoch: _, ...attempt }) => attempt)

const some = (wanted: ReadonlyArray<string>, has: (value: string) => boolean): boolean =>
  wanted.length === 0 || wanted.some(has)

const given = (wanted: string | undefined, ...values: ReadonlyArray<string | undefined>): boolean =>
  wanted === undefined || values.includes(wanted)

const matches = (query: MessageQuery) => (row: MessageRow): boolean =>
  (query.archived || !row.archived) &&
  given(query.list, row.listId) &&
  (query.enqueuedAfter === undefined || row.enqueuedAt >= query.enqueuedAfter) &&
  given(query.event, row.event) &&
  given(query.messageId, row.id) &&
  given(query.notification, row.template) &&
  given(query.recipient, row.recipientName) &&
  given(query.userId, userOf(row)) &&
  given(query.tenantId, row.tenantId) &&
  given(query.traceId, row.traceId, row.requestId) &&
  some(query.providers, (provider) => row.providers.includes(provider)) &&
  some(query.statuses, (status) => row.status === status) &&
  some(query.tags, (tag) => row.tags.includes(tag))

/** A request to many is archived as one row. */
const withArchived = <Row extends MessageRow | undefined>(state: State, row: Row): Row => {
  if (row === undefined || row.requestId === row.id) return row
  const expansion = Option.getOrUndefined(HashMap.get(state.expansions, nameOf(row.scope, row.requestId)))
  return expansion?.archived === true ? { ...row, archived: true } : row
}

/** What a cursor is sealed with: everything asked but the size of the page. */
const filters = ({ cursor: _cursor, limit: _limit, ...query }: MessageQuery): Schema.Json =>
  Object.values(query).map((value) => value ?? null)

/** The message log in memory. */
export const layer = Layer.effect(
  MessageLog,
  Effect.gen(function*() {
    const { modify, read } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)

    const find = Effect.fnUntraced(function*(scope: Scope, id: MessageId) {
      const row = yield* read((state) => withArchived(state, findMessage(state, scope, id)))
      return row ?? (yield* new MessageNotFound({ id }))
    })

    const list: MessageLog["Service"]["list"] = Effect.fnUntraced(function*(scope, query) {
      const rows = yield* read((state) => Array.from(messagesOf(state, scope), (row) => withArchived(state, row)))
      const page = yield* Pages.cut({
        cursors,
        list: { scope, route: "messages", filters: filters(query) },
        rows: rows.filter(matches(query)),
        // Ids begin with the millisecond in which their request was accepted.
        position: (row) => ({ at: 0, id: row.id }),
        bytesOf: ({ error = "", event }) => error.length + event.length,
        limit: query.limit,
        cursor: query.cursor
      })
      return { ...page, items: page.items.map(record) }
    })

    const history = Effect.fnUntraced(function*(scope: Scope, id: MessageId) {
      const row = yield* find(scope, id)
      const events = row.history.flatMap((step) => step.events).toSorted((a, b) => a.ts - b.ts)
      const enqueued: HistoryEvent = { type: "ENQUEUED", ts: row.enqueuedAt }
      return [enqueued, ...events]
    })

    const original = Effect.fnUntraced(function*(scope: Scope, id: MessageId) {
      const row = yield* find(scope, id)
      const payload = yield* orUnavailable(decodePayload(row))
      return { keyState: row.keyState, ...payload }
    })

    const requests: MessageLog["Service"]["requests"] = Effect.fnUntraced(
      function*(scope, { state: wanted, ...query }) {
        const rows = yield* read((state) => inScope(state.expansions, scope))
        return yield* Pages.cut({
          ...query,
          cursors,
          list: { scope, route: "requests", filters: [wanted ?? null] },
          rows: rows.filter(({ state }) => wanted === undefined || state === wanted).map(recordOf),
          position: ({ id }) => ({ at: 0, id })
        })
      }
    )

    const archive = Effect.fnUntraced(function*(scope: Scope, requestId: MessageId) {
      const found = yield* modify((state) => {
        const name = nameOf(scope, requestId)
        const expansion = Option.getOrUndefined(HashMap.get(state.expansions, name))
        if (expansion !== undefined) {
          const expansions = HashMap.set(state.expansions, name, { ...expansion, archived: true })
          return [true, { ...state, expansions }]
        }
        const rows = Array.from(messagesOf(state, scope)).filter((row) => row.requestId === requestId)
        return [rows.length > 0, rows.reduce((next, row) => putMessage(next, { ...row, archived: true }), state)]
      })
      if (!found) return yield* new RequestNotFound({ id: requestId })
    })

    return MessageLog.of({
      get: (scope, id) => Effect.map(find(scope, id), record),
      list,
      attempts: (scope, id) => read((state) => attemptsOf(findMessage(state, scope, id))),
      snapshots: (scope, ids) =>
        read((state) => ({
          snapshots: ids.flatMap((id) => {
            const row = withArchived(state, findMessage(state, scope, id))
            return row === undefined ? [] : [{ record: record(row), attempts: attemptsOf(row) }]
          }),
          unreadable: []
        })),
      history,
      original,
      requests,
      archive
    })
  })
)
