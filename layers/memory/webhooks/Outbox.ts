import { Database } from "#layers/memory/Database.ts"
import { nameOf, type State } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import type { WebhookEventRow, WebhookRow, WebhookState } from "#layers/memory/WebhookRows.ts"
import type { Scope } from "#schemas/Scope.ts"
import { type Claimed, lease, Outbox, probing, type Settlement } from "#src/reports/webhooks/Outbox.ts"
import * as Secrets from "#src/reports/webhooks/Secrets.ts"
import { Array, Clock, Effect, HashMap, Layer, Option } from "effect"

type Events = HashMap.HashMap<string, WebhookEventRow>

const eventsOf = ({ webhooks: { events } }: State, scope: Scope, id: string): Events =>
  Option.getOrElse(HashMap.get(events, nameOf(scope, id)), () => HashMap.empty<string, WebhookEventRow>())

const withWebhooks = (state: State, change: Partial<WebhookState>): State => ({
  ...state,
  webhooks: { ...state.webhooks, ...change }
})

/** What is due of a webhook, the longest due first. */
const due = (state: State, { id, scope }: WebhookRow, now: number): ReadonlyArray<WebhookEventRow> =>
  Array.fromIterable(HashMap.values(eventsOf(state, scope, id))).filter(({ dueAt }) => dueAt <= now)
    .toSorted((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))

const enabled = ({ webhooks: { webhooks } }: State): ReadonlyArray<WebhookRow> =>
  Array.fromIterable(HashMap.values(webhooks)).filter(({ state }) => state === "ENABLED")

const claim = (
  state: State,
  limit: number,
  now: number
): readonly [WebhookRow & Pick<Claimed, "events"> | undefined, State] => {
  const free = enabled(state)
    .filter((row) => row.claimedUntil <= now && row.pausedUntil <= now && due(state, row, now).length > 0)
    .toSorted((a, b) => a.claimedUntil - b.claimedUntil || (a.id < b.id ? -1 : 1))
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
  { again, done, dropBefore, failing, failures, givesUp, lost, pausedUntil, reached }: Settlement,
  now: number
): State => {
  const name = nameOf(scope, id)
  const row = Option.getOrUndefined(HashMap.get(state.webhooks.webhooks, name))
  const isMine = row?.claim === claim
  const dueAgain = new Map(again.map((event) => [event.id, event.dueAt]))
  const before = HashMap.removeMany(eventsOf(state, scope, id), done)
  const isDropped = (event: WebhookEventRow) =>
    isMine && !dueAgain.has(event.id) && (givesUp || (dropBefore !== undefined && event.storedAt < dropBefore))
  const left = HashMap.map(HashMap.filter(before, (event) => !isDropped(event)), (event) => {
    const dueAt = dueAgain.get(event.id)
    return dueAt === undefined ? event : { ...event, dueAt, tries: event.tries + 1 }
  })
  const events = HashMap.set(state.webhooks.events, name, left)
  if (row === undefined || !isMine) return withWebhooks(state, { events })
  const settled: WebhookRow = {
    ...row,
    lost: row.lost + lost + HashMap.size(before) - HashMap.size(left),
    reachedAt: reached ? now : row.reachedAt,
    failures,
    failing,
    pausedUntil,
    claimedUntil: now,
    state: givesUp ? "DISABLED" : row.state,
    gaveUpAt: givesUp ? now : undefined
  }
  return withWebhooks(state, { events, webhooks: HashMap.set(state.webhooks.webhooks, name, settled) })
}

/** What webhooks are to be told, in memory. */
export const layer = Layer.effect(
  Outbox,
  Effect.gen(function*() {
    const { modify, read, update } = yield* Database
    const secrets = yield* Secrets.make

    return Outbox.of({
      claim: Effect.fnUntraced(function*(limit) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* modify((state) => claim(state, limit, now))
        if (found === undefined) return undefined
        const { events, failing, failures, id, scope, url } = found
        return {
          scope,
          id,
          url,
          failures,
          failing,
          claim: found.claim,
          secrets: yield* secrets.open(scope, id, found.secrets),
          events
        }
      }, orUnavailable),
      settle: (claimed, settlement) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => update((state) => settle(state, claimed, settlement, now))),
      next: read((state) => {
        const times = enabled(state).flatMap((row) => {
          const [first] = due(state, row, Infinity)
          return first === undefined ? [] : [Math.max(row.claimedUntil, row.pausedUntil, first.dueAt)]
        })
        return times.length === 0 ? undefined : Math.min(...times)
      }),
      sweep: (limit) =>
        modify((state) => {
          const hearing = new Set(enabled(state).map(({ id, scope }) => nameOf(scope, id)))
          const gone = Array.fromIterable(state.webhooks.events).flatMap(([name, events]) =>
            hearing.has(name) ? [] : Array.fromIterable(HashMap.keys(events)).map((id) => [name, id] as const)
          ).slice(0, limit)
          const events = gone.reduce(
            (all, [name, id]) => HashMap.modify(all, name, (of) => HashMap.remove(of, id)),
            state.webhooks.events
          )
          return [gone.length, withWebhooks(state, { events })]
        })
    })
  })
)
