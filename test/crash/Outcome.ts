import type { Place } from "#test/support/Places.ts"
import * as Ledger from "#test/support/Ledger.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Row = Schema.Struct({
  id: Schema.String,
  recipient: Schema.String,
  request: Schema.String,
  status: Schema.String,
  closed: Schema.Boolean
})
const AttemptRow = Schema.Struct({ id: Schema.String, number: Schema.Int, state: Schema.String })

const messages = Schema.decodeUnknownEffect(Schema.Array(Row))
const attempts = Schema.decodeUnknownEffect(Schema.Array(AttemptRow))

/** What a place holds when its server is gone: the rows of the store and the provider's ledger. */
export interface Outcome {
  readonly messages: ReadonlyArray<typeof Row.Type>
  readonly attempts: ReadonlyMap<string, ReadonlyArray<typeof AttemptRow.Type>>
  readonly calls: ReadonlyMap<string, ReadonlyArray<Ledger.Call>>
}

/** Reads the tables themselves: a checker that shares no code with the service. */
export const read = (place: Place): Effect.Effect<Outcome> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const found =
      yield* sql`select id, recipient_name as recipient, request_id as request, status, due_at is null as closed from messages`
    const tried = yield* sql`select message_id as id, number, state from attempts order by message_id, number`
    return {
      messages: yield* messages(found),
      attempts: Map.groupBy(yield* attempts(tried), (attempt) => attempt.id),
      calls: Ledger.byMessage(Ledger.read(place.ledger))
    }
  }).pipe(Effect.provide(place.store), Effect.orDie)

export const unknownOf = ({ attempts }: Outcome, id: string): number =>
  (attempts.get(id) ?? []).filter((attempt) => attempt.state === "unknown").length

/** Whether nobody knows what became of this call. */
export const isUnknown = ({ attempts }: Outcome, { attempt, id }: Ledger.Call): boolean =>
  attempts.get(id)?.some(({ number, state }) => number === attempt && state === "unknown") === true

/** Calls beyond the first, of all messages. */
export const duplicates = ({ calls }: Outcome): number =>
  [...calls.values()].reduce((sum, of) => sum + of.length - 1, 0)

/**
 * What P1, P4 and P6 say about a drained store, as sentences about what is wrong: every accepted message was sent, every call has its attempt
 * and the other way round, no attempt was called twice, and a message was handed over again only after an unknown outcome. `isAnswered` tells of
 * messages that are not in `accepted` whether somebody was told of them.
 */
export const faults = (
  outcome: Outcome,
  accepted: ReadonlyArray<string>,
  isAnswered: (message: typeof Row.Type) => boolean = () => false
): ReadonlyArray<string> => {
  const stored = new Map(outcome.messages.map((message) => [message.id, message]))
  const known = new Set(accepted)
  return [
    ...accepted.flatMap((id) => stored.has(id) ? [] : [`${id} was answered 202 and is not stored`]),
    ...outcome.messages.flatMap((message) => {
      const { closed, id, status } = message
      const calls = outcome.calls.get(id) ?? []
      const tried = outcome.attempts.get(id) ?? []
      const unknown = unknownOf(outcome, id)
      return [
        ...(known.has(id) || isAnswered(message) ? [] : [`${id} is stored and was never answered`]),
        ...(status === "SENT" && closed ? [] : [`${id} is ${status}${closed ? "" : " and open"}`]),
        ...(calls.length === 0 ? [`${id} was never handed over`] : []),
        ...(new Set(calls.map((call) => call.attempt)).size === calls.length ? [] : [`${id}: one attempt, two calls`]),
        ...(calls.every((call) => tried.some(({ number }) => number === call.attempt))
          ? []
          : [`${id}: a call without an attempt`]),
        ...(tried.filter(({ state }) => state === "accepted").length === 1 ? [] : [`${id}: not one accepted attempt`]),
        ...(tried.every(({ state }) => state !== "intent") ? [] : [`${id}: an attempt without outcome`]),
        ...(calls.length <= 1 + unknown ? [] : [`${id}: ${calls.length} calls with ${unknown} unknown outcomes`])
      ]
    }),
    ...[...outcome.calls.keys()].flatMap((id) => stored.has(id) ? [] : [`${id} was handed over and is not stored`])
  ]
}
