import { Database } from "#layers/memory/Database.ts"
import { advance, refused } from "#layers/memory/journal/Expand.ts"
import { type ExpansionRow, messagesOf, nameOf, type State } from "#layers/memory/State.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { OpenExpansion, RequestRecord } from "#src/delivery/Expansion.ts"
import { Expansions, longestPause } from "#src/delivery/expansion/Expansions.ts"
import type { StepResult } from "#src/delivery/Journal.ts"
import { turnOf } from "#src/delivery/shards/LaneShares.ts"
import { RequestNotFound } from "#src/reports/MessageLog.ts"
import { Clock, Effect, HashMap, Layer, Option, Order, Struct } from "effect"

const byTurn = Order.Struct({ advancedAt: Order.Number, id: Order.String })

/** What an owner is given of a row. */
const openOf = (row: ExpansionRow): OpenExpansion =>
  Struct.pick(row, [
    "id",
    "scope",
    "shard",
    "keyState",
    "recipients",
    "instructions",
    "place",
    "tries",
    "epoch",
    "acceptedAt"
  ])

/** What a caller is told of it. */
export const recordOf = (row: ExpansionRow): RequestRecord =>
  Struct.pick(row, ["id", "state", "messages", "acceptedAt", "endedAt", "error", "archived"])

/** What a caller is told of a request of any kind. */
export const found = (state: State, scope: Scope, id: MessageId): Option.Option<RequestRecord> => {
  const expansion = HashMap.get(state.expansions, nameOf(scope, id))
  if (Option.isSome(expansion)) return Option.some(recordOf(expansion.value))
  const messages = Array.from(messagesOf(state, scope)).filter(({ requestId }) => requestId === id)
  if (messages.length === 0) return Option.none()
  const acceptedAt = Math.min(...messages.map(({ enqueuedAt }) => enqueuedAt))
  return Option.some({
    id,
    state: "COMPLETED",
    messages: messages.length,
    acceptedAt,
    endedAt: acceptedAt,
    error: undefined,
    archived: messages.every(({ archived }) => archived)
  })
}

/** The expansions in memory. */
export const layer = Layer.effect(
  Expansions,
  Effect.gen(function*() {
    const { modify, read, update } = yield* Database
    return Expansions.of({
      open: (shards, now, limit) =>
        read((state) => {
          const open = Array.from(HashMap.values(state.expansions)).filter((row) =>
            row.dueAt !== undefined && shards.includes(row.shard)
          )
          const later = open.flatMap(({ dueAt }) => dueAt !== undefined && dueAt > now ? [dueAt] : [])
          return {
            rows: open.filter(({ dueAt = Infinity }) => dueAt <= now || dueAt > now + longestPause).toSorted(byTurn)
              .slice(0, limit)
              .map(openOf),
            next: later.length === 0 ? undefined : Math.min(...later)
          }
        }),
      advance: Effect.fnUntraced(function*(step) {
        const refusal = refused(step)
        if (refusal !== undefined) return yield* refusal
        const provenAtNanos = yield* Clock.monotonicTimeNanos
        const advanced = yield* modify((state) => advance(state, step))
        if (advanced._tag !== "Written") return advanced
        const { created, statuses } = advanced
        const intents = new Map<MessageId, StepResult>(
          [...statuses].map(([id, status]) => [
            id,
            status === undefined ? { _tag: "Refused" } : { _tag: "Written", status, provenAtNanos }
          ])
        )
        return { _tag: "Written" as const, created, intents }
      }),
      isBacklogged: (most, turns) =>
        read((state) => {
          const asked = new Set(turns)
          let ready = 0
          for (const rows of HashMap.values(state.open)) {
            for (const row of HashMap.values(rows)) {
              if (row.lane === "bulk" && row.dueAt === 0 && asked.has(turnOf(row))) ready++
            }
          }
          return ready > most
        }),
      resume: (scope, id) =>
        update((state) => {
          const row = Option.getOrUndefined(HashMap.get(state.expansions, nameOf(scope, id)))
          if (row?.state !== "FAILED") return state
          const resumed: ExpansionRow = {
            ...row,
            state: "RUNNING",
            dueAt: 0,
            tries: 0,
            epoch: 0,
            error: undefined,
            endedAt: undefined
          }
          return { ...state, expansions: HashMap.set(state.expansions, nameOf(scope, id), resumed) }
        }),
      find: Effect.fnUntraced(function*(scope, id) {
        const record = yield* read((state) => found(state, scope, id))
        return Option.isSome(record) ? record.value : yield* new RequestNotFound({ id })
      })
    })
  })
)
