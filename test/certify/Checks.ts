import * as Outcome from "#test/crash/Outcome.ts"
import * as Ledger from "#test/support/Ledger.ts"
import type { Place } from "#test/support/Places.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Sent } from "./Load.ts"
import type { Verdict } from "./Verdict.ts"

const Started = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.String, number: Schema.Int, state: Schema.String, at: Schema.Number }))
)

/** All attempts, by message and number, with their start in epoch ms of the database. */
const started = (place: Place) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`select message_id as id, number, state, started_at::float8 as at from attempts`
    return new Map((yield* Started(rows)).map((attempt) => [`${attempt.id} ${attempt.number}`, attempt]))
  }).pipe(Effect.provide(place.store), Effect.orDie)

type Attempts = Effect.Success<ReturnType<typeof started>>

/** A process that was stopped at `from` and went on at `to`, in epoch ms. */
export interface Frozen {
  readonly pid: number
  readonly from: number
  readonly to: number
}

/** A process that was ended by kill -9, not before `at`, in epoch ms. */
export interface Killed {
  readonly pid: number
  readonly at: number
}

/** In ms: an outcome is durable so soon after its call, at the rate at which processes are killed. */
const settling = 500

/** The bound of the duplicates is the engine's own word: so it may call unknown only what was under way when its process was killed. */
const forgotten = (
  place: Place,
  outcome: Outcome.Outcome,
  killed: ReadonlyArray<Killed>,
  slowness: number
): ReadonlyArray<string> => {
  const kills = new Map(killed.map(({ at, pid }) => [pid, at]))
  return Ledger.ended(place.ledger).flatMap((call) => {
    if (!Outcome.isUnknown(outcome, call)) return []
    const kill = kills.get(Math.floor(call.pid))
    if (kill === undefined) return [`${call.id}: attempt ${call.attempt} is unknown, and its process was not killed`]
    const before = kill - call.at
    return before > settling * slowness
      ? [`${call.id}: attempt ${call.attempt} is unknown, and had ended ${before} ms before its process was killed`]
      : []
  })
}

/** The clocks of the database and of the provider are read at different instants, in ms. */
const slack = 100

/** A frozen owner, awake again, any of its threads: it makes no call but the one of each recipient whose intent was committed before, and that one is marked. */
const stale = (place: Place, attempts: Attempts, { from, pid, to }: Frozen): ReadonlyArray<string> => {
  const late = Ledger.read(place.ledger).filter((call) => Math.floor(call.pid) === pid && call.at >= to)
  const old = late.flatMap((call) => {
    const attempt = attempts.get(`${call.id} ${call.attempt}`)
    return attempt !== undefined && attempt.at < to - slack ? [{ call, attempt }] : []
  })
  const perRecipient = Map.groupBy(old, ({ call }) => call.to)
  return [
    ...old.flatMap(({ attempt, call }) =>
      attempt.at > from + slack ? [`${call.id}: a call whose intent was made while its process was frozen`] : []
    ),
    ...old.flatMap(({ attempt, call }) =>
      attempt.state === "unknown" ? [] : [`${call.id}: a call of a frozen owner that is ${attempt.state}, not unknown`]
    ),
    ...[...perRecipient].flatMap(([to, calls]) =>
      calls.length > 1 ? [`${to}: ${calls.length} calls of a frozen owner`] : []
    )
  ]
}

/** P3: of a chain, first attempts in the order of the sends. */
const disordered = (sent: ReadonlyArray<Sent>, attempts: Attempts): ReadonlyArray<string> =>
  [...Map.groupBy(sent.filter(({ chain }) => chain !== undefined), ({ chain }) => chain).values()].flatMap((chain) =>
    chain.flatMap(({ id }, n) => {
      const before = chain[n - 1]
      return before !== undefined &&
          (attempts.get(`${before.id} 1`)?.at ?? 0) > (attempts.get(`${id} 1`)?.at ?? Infinity)
        ? [`${id} had its first attempt before ${before.id}, which was accepted before it was sent`]
        : []
    })
  )

/**
 * P2, from the provider's own ledger: two processes called it for one recipient at a time, and neither call is marked as unknown. Where both
 * intent and settle of one stood, the other's intent was of an older epoch: the call of an owner that had lost its shard, and its settle must
 * have been refused, whichever call began first.
 */
const doubled = (place: Place, outcome: Outcome.Outcome): ReadonlyArray<string> => {
  const ends = new Map(Ledger.ended(place.ledger).map((call) => [`${call.id} ${call.attempt}`, call.at]))
  return [...Map.groupBy(Ledger.read(place.ledger), (call) => call.to).values()].flatMap((calls) => {
    const inOrder = calls.toSorted((a, b) => a.at - b.at)
    return inOrder.flatMap((call, n) => {
      const before = inOrder[n - 1]
      if (
        before === undefined || before.pid === call.pid || Outcome.isUnknown(outcome, before) ||
        Outcome.isUnknown(outcome, call)
      ) return []
      return (ends.get(`${before.id} ${before.attempt}`) ?? 0) > call.at
        ? [`${call.to} had two owners: ${before.id} in ${before.pid}, ${call.id} in ${call.pid}`]
        : []
    })
  })
}

/**
 * Requests to so many recipients each that were answered, and how their recipients begin. Others of that kind may be stored whose answers did not
 * come.
 */
export interface Crowd {
  readonly prefix: string
  readonly requests: ReadonlyArray<string>
  readonly each: number
}

/** Messages of the crowd's requests that were never handed over. */
const lostOf = ({ each, requests }: Crowd, { calls, messages }: Outcome.Outcome): number => {
  const handed = new Map<string, number>()
  for (const { id, request } of messages) if (calls.has(id)) handed.set(request, (handed.get(request) ?? 0) + 1)
  return requests.reduce((sum, request) => sum + Math.max(0, each - (handed.get(request) ?? 0)), 0)
}

/** Holds the three ledgers against each other: what clients were told, what the provider was called for, what the database has. */
export const verdict = async (options: {
  readonly scenario: string
  readonly place: Place
  readonly sent: ReadonlyArray<Sent>
  readonly slowestRecovery: number
  readonly slowness?: number
  readonly breaches?: ReadonlyArray<string>
  readonly frozen?: ReadonlyArray<Frozen>
  readonly killed?: ReadonlyArray<Killed> | undefined
  readonly crowd?: Crowd | undefined
  readonly note?: string
}): Promise<Verdict> => {
  const { place, scenario, sent, slowestRecovery } = options
  // One after the other: an embedded store has one owner.
  const outcome = await Effect.runPromise(Outcome.read(place))
  const attempts = await Effect.runPromise(started(place))
  const { crowd } = options
  const lostOfMany = crowd === undefined ? 0 : lostOf(crowd, outcome)
  const accepted = sent.map(({ id }) => id)
  const lost = accepted.filter((id) => !outcome.calls.has(id)).length
  const bound = outcome.messages.reduce((sum, { id }) => sum + Outcome.unknownOf(outcome, id), 0)
  const duplicates = Outcome.duplicates(outcome)
  return {
    scenario,
    accepted: accepted.length + (crowd === undefined ? 0 : crowd.requests.length * crowd.each),
    handedOver: outcome.calls.size,
    lost: lost + lostOfMany,
    duplicates,
    bound,
    slowestRecovery,
    slowness: options.slowness ?? 1,
    breaches: [
      ...(options.breaches ?? []),
      ...(new Set(accepted).size === accepted.length ? [] : ["two keys were answered with one request"]),
      ...Outcome.faults(
        outcome,
        accepted,
        ({ recipient }) => crowd !== undefined && recipient.startsWith(crowd.prefix)
      ),
      ...(lostOfMany === 0 ? [] : [`${lostOfMany} accepted messages of many were never handed over`]),
      ...(duplicates <= bound ? [] : [`${duplicates} duplicates, and ${bound} at most may be`]),
      ...disordered(sent, attempts),
      ...(options.frozen ?? []).flatMap((frozen) => stale(place, attempts, frozen)),
      ...doubled(place, outcome),
      ...(options.killed === undefined ? [] : forgotten(place, outcome, options.killed, options.slowness ?? 1))
    ],
    ...(options.note === undefined ? {} : { note: options.note })
  }
}
