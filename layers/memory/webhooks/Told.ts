import { type MessageRow, nameOf, type State } from "#layers/memory/State.ts"
import type { WebhookEventRow } from "#layers/memory/WebhookRows.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Happened } from "#src/reports/webhooks/Outbox.ts"
import type { Other } from "#src/reports/webhooks/Others.ts"
import { HashMap } from "effect"

/** Stores an event for each webhook of its environment that wants it, unless it is there already. */
const withEvent = (
  state: State,
  scope: Scope,
  event: Pick<WebhookEventRow, "at" | "id" | "storedAt"> & { readonly happened: Happened }
): State => {
  const { type } = event.happened
  const hearers = Array.from(HashMap.values(state.webhooks.webhooks)).filter((webhook) =>
    webhook.scope === scope && webhook.state === "ENABLED" && (webhook.types?.includes(type) ?? true)
  )
  if (hearers.length === 0) return state
  const row = { ...event, tries: 0, dueAt: event.storedAt }
  const events = hearers.reduce((all, { id }) => {
    const of = HashMap.get(all, nameOf(scope, id))
    const mine = of._tag === "Some" ? of.value : HashMap.empty<string, WebhookEventRow>()
    return HashMap.has(mine, row.id) ? all : HashMap.set(all, nameOf(scope, id), HashMap.set(mine, row.id, row))
  }, state.webhooks.events)
  return { ...state, webhooks: { ...state.webhooks, events } }
}

/** Stores the event of a message that has another status than before. Times in epoch ms. */
export const message = (
  state: State,
  before: Pick<MessageRow, "status"> | undefined,
  { id, scope, status }: Pick<MessageRow, "id" | "scope" | "status">,
  at: number,
  storedAt: number
): State =>
  before?.status === status
    ? state
    : withEvent(state, scope, {
      id: `${id}_${status}_${at}`,
      happened: { type: "message:updated", messageId: id, status },
      at,
      storedAt
    })

/** Stores an event that is no message's. */
export const other = (
  state: State,
  scope: Scope,
  { data, type }: Other,
  at: number
): State => {
  const text = JSON.stringify(data)
  return withEvent(state, scope, { id: `${at}_${type}_${text}`, happened: { type, data: text }, at, storedAt: at })
}
