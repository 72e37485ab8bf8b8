import { Database } from "#layers/memory/Database.ts"
import { nameOf, type State } from "#layers/memory/State.ts"
import type { WebhookEventRow, WebhookRow, WebhookState } from "#layers/memory/WebhookRows.ts"
import type { Scope } from "#schemas/Scope.ts"
import { type Claimed, furthest, lease, Outbox, probing, type Settlement } from "#src/reports/webhooks/Outbox.ts"
import * as Secrets from "#src/reports/webhooks/Secrets.ts"
import { Array, Clock, Effect, HashMap, Layer, Option } from "effect"

type Events = HashMap.HashMap<string, WebhookEventRow>

const eventsOf = ({ webhooks: { events } }: State, scope: Scope, id: string): Events =>
  Option.getOrElse(HashMap.get(events, nameOf(scope, id)), () => HashMap.empty<string, WebhookEventRow>())

const withWebhooks = (state: State, change: Partial<WebhookState>): State => ({
  ...state,
  webhooks: { ...state.webhooks, ...change }
})

/** Whether a webhook is still told an event. */
export const isTold = ({ since, state }: WebhookRow, { storedAt }: WebhookEventRow): boolean =>
  state === "ENABLED" && since <= storedAt

/** What is due of a webhook, the longest due first. */
const due = (state: State, row: WebhookRow, now: number): ReadonlyArray<WebhookEventRow> =>
  Array.fromIterable(HashMap.values(eventsOf(state, row.scope, row.id)))
    .filter((event) => event.dueAt <= now && isTold(row, event))
    .toSorted((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))

const all = ({ webhooks: { webhooks } }: State): ReadonlyArray<WebhookRow> =>
  Array.fromIterable(HashMap.values(webhooks))

/**
 * Whether a webhook is in nobody's hands, and does not pause. No claim is longer than a lease, and no pause begins before
 * a claim ends: what is later was written before the clock was set back.
 */
const isFree = ({ claimedUntil, pausedUntil }: WebhookRow, now: number): boolean =>
  (claimedUntil <= now || claimedUntil > now + lease) && pausedUntil <= Math.max(claimedUntil, now)

const claim = (
  state: State,
  limit: number,
  without: ReadonlyArray<Scope>,
  now: number
): readonly [WebhookRow & Pick<Claimed, "events"> | undefined, State] => {
  const free = all(state)
    .filter((row) => isFree(row, now) && !without.includes(row.scope) && due(state, row, now).length > 0)
    .toSorted((a, b) =>
      Number(a.claimedUntil <= now) - Number(b.claimedUntil <= now) || a.claimedUntil - b.claimedUntil ||
      (a.id < b.id ? -1 : 1)
    )
  const [first] = free
  if (first === undefined) return [undefined, state]
  const row = { ...first, claim: first.claim + 1, claimedUntil: now + lease }
  const events = due(state, row, now).slice(0, row.failures < probing ? limit : 1)
    .map(({ dueAt: _, ...event }) => event)
  return [
    { ...row, events },
    withWebhooks(state, { webhooks: HashMap.set(state.webhooks.webhooks, nameOf(row.scope, row.id), row) })
  ]
}

const settle = (
  state: State,
  { claim, id, scope }: Claimed,
  { again, failing, failures, givesUp, lost, pausedUntil, reached, since, told }: Settlement,
  now: number
): State => {
  const name = nameOf(scope, id)
  const row = Option.getOrUndefined(HashMap.get(state.webhooks.webhooks, name))
  const untold = HashMap.removeMany(eventsOf(state, scope, id), told)
  if (row?.claim !== claim) {
    return withWebhooks(state, { events: HashMap.set(state.webhooks.events, name, untold) })
  }
  const left = HashMap.removeMany(untold, lost)
  const dueAgain = new Map(again.map((event) => [event.id, event.dueAt]))
  const events = HashMap.map(left, (event) => {
    const dueAt = dueAgain.get(event.id)
    return dueAt === undefined ? event : { ...event, dueAt, tries: event.tries + 1 }
  })
  const settled: WebhookRow = {
    ...row,
    claim: row.claim + 1,
    lost: row.lost + HashMap.size(untold) - HashMap.size(left),
    reachedAt: reached ? now : row.reachedAt,
    failures,
    failing,
    pausedUntil,
    claimedUntil: now,
    state: givesUp ? "DISABLED" : row.state,
    gaveUpAt: givesUp ? now : undefined,
    since: Math.max(row.since, since)
  }
  return withWebhooks(state, {
    events: HashMap.set(state.webhooks.events, name, events),
    webhooks: HashMap.set(state.webhooks.webhooks, name, settled)
  })
}

/** A webhook with a time that is too far ahead begins anew. */
const begun = (row: WebhookRow, now: number): WebhookRow =>
  Math.max(row.claimedUntil, row.pausedUntil, row.since, row.failing?.since ?? 0) > now + furthest
    ? { ...row, claim: row.claim + 1, claimedUntil: 0, pausedUntil: 0, since: 0, failures: 0, failing: undefined }
    : row

const sweep = (state: State, limit: number, now: number): readonly [number, State] => {
  const { events } = state.webhooks
  const webhooks = HashMap.map(state.webhooks.webhooks, (row) => begun(row, now))
  const gone = Array.fromIterable(events).flatMap(([name, mine]) => {
    const row = Option.getOrUndefined(HashMap.get(webhooks, name))
    return Array.fromIterable(HashMap.values(mine)).filter((event) => row === undefined || !isTold(row, event))
      .map(({ id }) => [name, id] as const)
  }).slice(0, limit)
  return [
    gone.length,
    withWebhooks(state, {
      events: gone.reduce((left, [name, id]) => HashMap.modify(left, name, (of) => HashMap.remove(of, id)), events),
      webhooks: gone.reduce(
        (rows, [name]) => HashMap.modify(rows, name, (row) => ({ ...row, lost: row.lost + 1 })),
        webhooks
      )
    })
  ]
}

/** What webhooks are to be told, in memory. */
export const layer = Layer.effect(
  Outbox,
  Effect.gen(function*() {
    const { modify, read, update } = yield* Database
    const secrets = yield* Secrets.make

    return Outbox.of({
      claim: Effect.fnUntraced(function*(limit, without = []) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* modify((state) => claim(state, limit, without, now))
        if (found === undefined) return undefined
        const { events, failing, failures, id, pausedUntil, scope, url } = found
        return {
          scope,
          id,
          url,
          failures,
          failing,
          pausedUntil,
          claim: found.claim,
          secrets: yield* Effect.catch(secrets.open(scope, id, found.secrets), () => Effect.succeed([])),
          events
        }
      }),
      settle: (claimed, settlement) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => update((state) => settle(state, claimed, settlement, now))),
      next: read((state) => {
        const times = all(state).flatMap((row) => {
          const [first] = due(state, row, Infinity)
          return first === undefined ? [] : [Math.max(row.claimedUntil, row.pausedUntil, first.dueAt)]
        })
        return times.length === 0 ? undefined : Math.min(...times)
      }),
      sweep: (limit) => Effect.flatMap(Clock.currentTimeMillis, (now) => modify((state) => sweep(state, limit, now)))
    })
  })
)
