import { Idempotency, type IdempotencyKey, type StoredResponse } from "#src/access/Idempotency.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal, type NewMessage } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { RequestNotFound } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { meeting } from "#test/layers/http/Faults.ts"
import { find, type Kept, type State } from "#test/layers/http/State.ts"
import { Effect, Layer, Option } from "effect"

const nameOf = (key: IdempotencyKey) => `${key.scope} ${key.path} ${key.value}`

const kept = (message: NewMessage): Kept => ({
  ...Fixture.record({
    id: message.id,
    requestId: message.requestId,
    status: message.status,
    event: message.event,
    template: message.template,
    recipient: message.recipientName,
    userId: message.recipientKey === Recipients.userKey(message.scope, message.recipientName)
      ? message.recipientName
      : undefined,
    tenantId: message.tenantId,
    tags: message.tags,
    traceId: message.traceId,
    enqueued: message.enqueuedAt
  }),
  scope: message.scope,
  message
})

/** The doubles that accept: the journal, the keys of requests, and requests to many. */
export const layer = (state: State) => {
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
      const found = yield* find(state)(scope, id)
      if (state.crash) return yield* Effect.die("planted")
      const applied = !state.inFlight && Lifecycle.allows(found.status, event)
      const after = applied ? Lifecycle.next(found.status, event) : found.status
      if (applied) state.messages.set(id, { ...found, status: after, canceledAt: history.ts })
      return { before: found.status, after, applied, inFlight: state.inFlight, repeated: false, provider: undefined }
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

  const expansions = Layer.mock(Expansions, {
    find: Effect.fnUntraced(function*(scope, id) {
      const found = state.expansions.get(id)
      if (found === undefined || found.scope !== scope) return yield* new RequestNotFound({ id })
      const progress = { messages: 7, acceptedAt: 5, endedAt: undefined, error: undefined, archived: false }
      return { id, state: "RUNNING" as const, ...progress }
    }),
    resume: () => meeting(state)(Effect.void)
  })

  return Layer.mergeAll(journal, idempotency, expansions)
}
