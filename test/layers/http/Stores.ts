import type { HistoryEvent } from "#schemas/History.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { Profile } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { ApiKeys, InvalidKey, type Principal } from "#src/access/ApiKeys.ts"
import { Idempotency, type IdempotencyKey, type StoredResponse } from "#src/access/Idempotency.ts"
import { Layouts } from "#src/content/Layouts.ts"
import { Mjml } from "#src/content/Mjml.ts"
import * as Rendering from "#src/content/Rendering.ts"
import { Translations } from "#src/content/Translations.ts"
import type { NewExpansion } from "#src/delivery/Expansion.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as Intake from "#src/delivery/Intake.ts"
import { Journal, MessageNotFound, type NewMessage } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as Previews from "#src/delivery/Previews.ts"
import * as Rehearsals from "#src/delivery/Rehearsals.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { InvalidCursor } from "#src/paging/Page.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import { ProfileNotFound, Profiles } from "#src/people/Profiles.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { MessageLog, type MessageQuery, type MessageRecord, RequestNotFound } from "#src/reports/MessageLog.ts"
import * as AccessStores from "#test/layers/http/AccessStores.ts"
import * as ContentStores from "#test/layers/http/ContentStores.ts"
import * as PreferenceStores from "#test/layers/http/PreferenceStores.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Latch, Layer, Option, Redacted } from "effect"

const principals: Record<string, Principal> = {
  pk_prod_a: { scope: Scope.make(1), keyState: "published" },
  dk_prod_a: { scope: Scope.make(1), keyState: "draft" },
  pk_test_a: { scope: Scope.make(2), keyState: "published" }
}

interface Kept extends MessageRecord {
  readonly scope: Scope
  readonly message: NewMessage
}

/**
 * What the doubles hold and were asked. `down`: writes fail as if the database were away; `crash`: they are defects, and messages are
 * stored all the same; `lost`: so many of the next reads of a message fail. While `accepting` is closed, acceptances wait.
 */
export interface State {
  readonly keys: Map<string, { readonly key: IdempotencyKey; readonly response: StoredResponse }>
  readonly messages: Map<MessageId, Kept>
  readonly expansions: Map<MessageId, NewExpansion>
  readonly profiles: Map<string, Profile>
  readonly legacy: Map<string, RecipientPreferences>
  readonly queries: Array<MessageQuery>
  readonly archived: Array<string>
  inFlight: boolean
  observed: number
  crash: boolean
  down: boolean
  lost: number
  readonly accepting: Latch.Latch
}

export const makeState = (): State => ({
  keys: new Map(),
  messages: new Map(),
  expansions: new Map(),
  profiles: new Map(),
  legacy: new Map(),
  queries: [],
  archived: [],
  inFlight: false,
  observed: 0,
  crash: false,
  down: false,
  lost: 0,
  accepting: Latch.makeUnsafe(true)
})

const nameOf = (key: IdempotencyKey) => `${key.scope} ${key.path} ${key.value}`

const kept = (message: NewMessage): Kept => ({
  id: message.id,
  requestId: message.requestId,
  scope: message.scope,
  message,
  status: message.status,
  reason: undefined,
  error: undefined,
  event: message.event,
  template: message.template,
  recipient: message.recipientName,
  userId: message.recipientKey === Recipients.userKey(message.scope, message.recipientName)
    ? message.recipientName
    : undefined,
  tenantId: message.tenantId,
  tags: message.tags,
  traceId: message.traceId,
  enqueued: message.enqueuedAt,
  sent: undefined,
  delivered: undefined,
  opened: undefined,
  clicked: undefined,
  canceledAt: undefined,
  willRetry: false,
  archived: false
})

/** Doubles of every store behind the routes, over one state; the intake is the real one. */
export const layer = (state: State) => {
  const find = (scope: Scope, id: MessageId): Effect.Effect<Kept, MessageNotFound> => {
    const found = state.messages.get(id)
    return found === undefined || found.scope !== scope
      ? Effect.fail(new MessageNotFound({ id }))
      : Effect.succeed(found)
  }
  const replay = (key: IdempotencyKey | undefined) =>
    key === undefined ? undefined : state.keys.get(nameOf(key))?.response
  const keep = (key: IdempotencyKey | undefined, response: StoredResponse) =>
    key === undefined ? undefined : state.keys.set(nameOf(key), { key, response })

  const journal = Layer.mock(Journal, {
    accept: Effect.fnUntraced(function*({ expansion, key, messages, response }) {
      yield* state.accepting.await
      const earlier = replay(key)
      if (earlier !== undefined) return { response: earlier, replayed: true }
      if (state.down) return yield* new StoreUnavailable({ cause: "planted" })
      for (const message of messages) state.messages.set(message.id, kept(message))
      if (state.crash && messages.length > 0) return yield* Effect.die("planted")
      if (expansion !== undefined) state.expansions.set(expansion.id, expansion)
      keep(key, response)
      return { response, replayed: false }
    }),
    observe: Effect.fnUntraced(function*({ event, history, id, scope }) {
      state.observed++
      const found = yield* find(scope, id)
      if (state.crash) return yield* Effect.die("planted")
      const applied = !state.inFlight && Lifecycle.allows(found.status, event)
      const after = applied ? Lifecycle.next(found.status, event) : found.status
      if (applied) state.messages.set(id, { ...found, status: after, canceledAt: history.ts })
      return { before: found.status, after, applied, inFlight: state.inFlight }
    })
  })

  const idempotency = Layer.mock(Idempotency, {
    find: (key) =>
      Effect.suspend(() =>
        state.down
          ? Effect.fail(new StoreUnavailable({ cause: "planted" }))
          : Effect.succeed(Option.fromUndefinedOr(replay(key)))
      ),
    once: Effect.fnUntraced(function*<R>(
      key: IdempotencyKey,
      operation: Effect.Effect<StoredResponse, StoreUnavailable, R>
    ) {
      const earlier = replay(key)
      if (earlier !== undefined) return { response: earlier, replayed: true }
      if (state.down) return yield* new StoreUnavailable({ cause: "planted" })
      const response = yield* operation
      keep(key, response)
      return { response, replayed: false }
    })
  })

  const rendered = { title: "Hello", subject: "Hello", body: "Hi", text: "Hi", html: "", blocks: [], actions: [] }
  const timeline = (found: Kept): ReadonlyArray<HistoryEvent> => [
    { type: "ENQUEUED", ts: found.enqueued },
    { type: "RENDERED", ts: found.enqueued, channel: "inbox", provider: "inbox", attempt: 1, output: rendered },
    { type: "SENT", ts: found.enqueued, channel: "inbox", provider: "inbox", attempt: 1 }
  ]
  const read = Effect.fnUntraced(function*(...place: Parameters<typeof find>) {
    if (state.lost-- > 0) return yield* new StoreUnavailable({ cause: "planted" })
    return yield* find(...place)
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
      find(scope, id).pipe(
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
    history: (scope, id) => Effect.map(find(scope, id), timeline),
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

  const profiles = Layer.succeed(Profiles, {
    find: (scope, userId) => Effect.sync(() => Option.fromUndefinedOr(state.profiles.get(`${scope} ${userId}`))),
    person: (scope, userId) =>
      Effect.sync(() => ({
        profile: Option.fromUndefinedOr(state.profiles.get(`${scope} ${userId}`)),
        preferences: state.legacy.get(`${scope} ${userId}`)
      })),
    document: (scope, userId) =>
      Effect.sync(() =>
        Option.map(
          Option.fromUndefinedOr(state.profiles.get(`${scope} ${userId}`)),
          (profile) => JSON.stringify({ profile, preferences: state.legacy.get(`${scope} ${userId}`) })
        )
      ),
    replace: (scope, userId, profile) => Effect.sync(() => void state.profiles.set(`${scope} ${userId}`, profile)),
    merge: Effect.fnUntraced(function*(scope, userId, profile) {
      if (state.down) return yield* new StoreUnavailable({ cause: "planted" })
      if (state.crash) return yield* Effect.die("planted")
      const name = `${scope} ${userId}`
      state.profiles.set(name, ProfileChange.merge(state.profiles.get(name) ?? {}, profile))
    }),
    patch: Effect.fnUntraced(function*(scope, userId, patch) {
      const stored = state.profiles.get(`${scope} ${userId}`)
      if (stored === undefined) return yield* new ProfileNotFound({ userId })
      state.profiles.set(`${scope} ${userId}`, yield* ProfileChange.patch(stored, patch))
    }),
    remove: (scope, userId) => Effect.sync(() => void state.profiles.delete(`${scope} ${userId}`))
  })

  const expansions = Layer.mock(Expansions, {
    find: Effect.fnUntraced(function*(scope, id) {
      const found = state.expansions.get(id)
      if (found === undefined || found.scope !== scope) return yield* new RequestNotFound({ id })
      const progress = { messages: 7, acceptedAt: 5, endedAt: undefined, error: undefined, archived: false }
      return { id, state: "RUNNING" as const, ...progress }
    }),
    resume: Effect.fnUntraced(function*() {
      if (state.down) return yield* new StoreUnavailable({ cause: "planted" })
      if (state.crash) return yield* Effect.die("planted")
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
          expiresAt: undefined
        }],
        cursor: undefined
      })
  })

  const keys = Layer.mock(ApiKeys, {
    authenticate: (key) => {
      const principal = principals[Redacted.value(key)]
      return principal === undefined ? Effect.fail(new InvalidKey()) : Effect.succeed(principal)
    }
  })

  const rendering = Rendering.layer.pipe(
    Layer.provide([Layer.mock(Layouts, {}), Layer.mock(Mjml, {})]),
    Layer.provide(Layer.mock(Translations, { find: () => Effect.succeed(Option.none()) }))
  )

  return Layer.mergeAll(Intake.layer, Previews.layer, Rehearsals.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(journal, log)),
    Layer.provideMerge(
      Layer.mergeAll(
        expansions,
        idempotency,
        inbox,
        keys,
        PreferenceStores.layer(state).pipe(Layer.provideMerge([ContentStores.layer(state), profiles])),
        AccessStores.layer(state)
      )
    ),
    Layer.provide([NodeCrypto.layer, rendering])
  )
}
