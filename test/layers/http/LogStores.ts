import type { HistoryEvent } from "#schemas/History.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { InvalidCursor } from "#src/paging/Page.ts"
import { Inbox, InboxItemNotFound, unmarked } from "#src/reports/Inbox.ts"
import { MessageLog, RequestNotFound } from "#src/reports/MessageLog.ts"
import { find, type Kept, type State } from "#test/layers/http/State.ts"
import { Effect, Layer } from "effect"

/** The doubles that tell of messages: their log and the inbox. */
export const layer = (state: State) => {
  const rendered = { title: "Hello", subject: "Hello", body: "Hi", text: "Hi", html: "", blocks: [], actions: [] }
  const timeline = (found: Kept): ReadonlyArray<HistoryEvent> => [
    { type: "ENQUEUED", ts: found.enqueued },
    { type: "RENDERED", ts: found.enqueued, channel: "inbox", provider: "inbox", attempt: 1, output: rendered },
    { type: "SENT", ts: found.enqueued, channel: "inbox", provider: "inbox", attempt: 1 }
  ]
  const read = Effect.fnUntraced(function*(scope: Scope, id: MessageId) {
    if (state.lost-- > 0) return yield* new StoreUnavailable({ cause: "planted" })
    return yield* find(state)(scope, id)
  })
  const log = Layer.mock(MessageLog, {
    get: read,
    list: (scope, query) =>
      Effect.suspend(() => {
        state.queries.push(query)
        if (query.cursor === "bad") return Effect.fail(new InvalidCursor())
        const items = [...state.messages.values()].filter((message) => message.scope === scope)
        return Effect.succeed({ items, cursor: items.length > query.limit ? "next" : undefined })
      }),
    attempts: (scope, id) =>
      find(state)(scope, id).pipe(
        Effect.map(({ enqueued }) => [{
          number: 1,
          channel: "inbox",
          provider: "inbox",
          state: "accepted" as const,
          kind: null,
          startedAt: enqueued,
          endedAt: enqueued + 5,
          retryAfter: null,
          reference: "ref-1",
          error: null
        }]),
        Effect.orElseSucceed(() => [])
      ),
    history: (scope, id) => Effect.map(find(state)(scope, id), timeline),
    original: (scope, id) => Effect.map(read(scope, id), ({ message }) => message),
    requests: (_, query) =>
      Effect.suspend(() => {
        if (query.cursor === "bad") return Effect.fail(new InvalidCursor())
        const progress = { acceptedAt: 5, endedAt: 9, error: "Quarantined", archived: false }
        const items = [...state.expansions.keys()].map((id) => ({
          id,
          state: query.state ?? ("RUNNING" as const),
          messages: 7,
          ...progress
        }))
        return Effect.succeed({
          items: items.slice(0, query.limit),
          cursor: items.length > query.limit ? "next" : undefined
        })
      }),
    archive: (scope, requestId) =>
      Effect.suspend(() => {
        const found = [...state.messages.values()].some((message) =>
          message.scope === scope && message.requestId === requestId
        )
        if (!found) return Effect.fail(new RequestNotFound({ id: requestId }))
        state.archived.push(requestId)
        return Effect.void
      })
  })

  const inbox = Layer.mock(Inbox, {
    list: () =>
      Effect.succeed({
        items: [{
          messageId: MessageId.make("1-00000001-000000000000000000000001"),
          rendered,
          tenantId: undefined,
          createdAt: 7,
          expiresAt: undefined,
          ...unmarked
        }],
        cursor: undefined
      }),
    unread: () => Effect.succeed(1),
    mark: (_, __, id) => Effect.fail(new InboxItemNotFound({ id })),
    markAll: () => Effect.void
  })

  return Layer.mergeAll(log, inbox)
}
