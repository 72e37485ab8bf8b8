import type { HistoryEntry, Output } from "#schemas/api/Messages.ts"
import type { HistoryEvent, HistoryType } from "#schemas/History.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import { isObject } from "#schemas/Json.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as OutputParts from "#src/reports/OutputParts.ts"
import type { MessageRecord, Original } from "#src/reports/MessageLog.ts"
import type { Schema } from "effect"

/** The fields that an event stores itself, under the names of the API (api.md §4). */
const members = (event: HistoryEvent) => ({
  type: event.type,
  ts: event.ts,
  channel: event.channel === undefined ? undefined : { id: event.channel },
  integration: event.provider === undefined ? undefined : { id: event.provider, provider: event.provider },
  attempt: event.attempt,
  outcome: event.outcome,
  reason: event.reason,
  error_message: event.error,
  reference: event.reference === undefined ? undefined : { id: event.reference },
  due_at: event.dueAt,
  possible_duplicate: event.possibleDuplicate,
  suppressed: event.suppressed,
  unknown_tenant: event.unknown?.tenant,
  unknown_topic: event.unknown?.topic,
  unknown_brand: event.unknown?.brand,
  ...event.decision
})

/** The send as a message's timeline shows it. */
export interface Shown {
  readonly instructions: Original["instructions"]
  readonly recipient: Schema.JsonObject
  /** The profile that the recipient had, and it under what the send says; `undefined` where that is not known any more. */
  readonly profiles: { readonly stored_profile: JsonMap; readonly merged_profile: JsonMap } | undefined
  /** What the send itself overrides in the requests to vendors: by a provider's key, and by channel under `channel`. */
  readonly override: Schema.JsonObject
}

/** The fields of an event that come from the message: stored events hold no addresses and payloads. */
const joined = (type: HistoryType, record: MessageRecord, shown: Shown): Schema.JsonObject => {
  const { instructions, override, profiles, recipient } = shown
  switch (type) {
    case "ENQUEUED":
      return {
        event: record.event,
        recipient: record.recipient,
        data: instructions.data ?? {},
        profile: recipient,
        override
      }
    case "MAPPED":
      return { event_id: record.event, notification_id: record.template }
    case "PROFILE_LOADED":
      return { received_profile: recipient, ...profiles }
    default:
      return {}
  }
}

const isJson = (entry: [string, unknown]): entry is [string, Schema.Json] => entry[1] !== undefined

const recipientJson = (recipient: Original["recipient"]): Schema.JsonObject =>
  Object.fromEntries(Object.entries(recipient).filter(isJson))

/**
 * The credentials in an address, by the profile's key: they open other people's systems, and were given to the
 * workspace alone.
 */
const credentials: Readonly<Record<string, ReadonlyArray<string>>> = {
  slack: ["access_token", "incoming_webhook"],
  ms_teams: ["webhook_url"],
  webhook: ["authentication", "headers"],
  pagerduty: ["routing_key"]
}

/**
 * Reduces a webhook's URL to its origin: whoever knows the whole URL can often call it, since its path or query is the
 * key.
 */
const withoutKey = ([name, value]: [string, Schema.Json]): [string, Schema.Json] =>
  name === "url" && typeof value === "string" ? [name, URL.parse(value)?.origin ?? ""] : [name, value]

const withoutCredentials = ([key, value]: [string, Schema.Json]): [string, Schema.Json] => {
  const hidden = Object.hasOwn(credentials, key) ? credentials[key] : undefined
  if (hidden === undefined || !isObject(value)) return [key, value]
  const seen = Object.entries(value).filter(([name]) => !hidden.includes(name))
  return [key, Object.fromEntries(key === "webhook" ? seen.map(withoutKey) : seen)]
}

type Overriding = Readonly<Record<string, { readonly override?: JsonMap | null | undefined }>> | null | undefined

/** The overrides of requests to vendors, without `config`, which names the account to call with and is secret. */
const overridesOf = (settings: Overriding): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(settings ?? {}).flatMap(([name, { override }]) => {
      if (override === undefined || override === null) return []
      const { config: _, ...said } = override
      return [[name, said]]
    })
  )

/** A send as its caller may see it. `stored`: the profile that the recipient had. */
export const forCaller = ({ instructions, recipient }: Original, stored?: JsonMap): Shown => {
  const channel = overridesOf(instructions.channels)
  return {
    instructions,
    recipient: recipientJson(recipient),
    profiles: stored && { stored_profile: stored, merged_profile: Recipients.profileFor(stored, recipient) },
    override: { ...overridesOf(instructions.providers), ...(Object.keys(channel).length === 0 ? {} : { channel }) }
  }
}

/**
 * A send as its recipient may see it: without the workspace's credentials, which no browser should hold, without the
 * overrides, and without what the workspace stores of the recipient.
 */
export const forUser = ({ instructions, recipient }: Original): Shown => ({
  instructions,
  recipient: Object.fromEntries(Object.entries(recipientJson(recipient)).map(withoutCredentials)),
  profiles: undefined,
  override: {}
})

const rendered = (output: Readonly<Record<string, string>> | undefined): Schema.JsonObject =>
  output === undefined ? {} : { output }

/** A message's timeline as callers see it, oldest first. */
export const entries = (
  events: ReadonlyArray<HistoryEvent>,
  record: MessageRecord,
  shown: Shown
): ReadonlyArray<HistoryEntry> =>
  events.map((event) => ({
    ...Object.fromEntries(Object.entries(members(event)).filter(isJson)),
    type: event.type,
    ts: event.ts,
    ...rendered(OutputParts.paths(record.id, event)),
    ...joined(event.type, record, shown)
  }))

/** What a channel was given to send, as callers see it. */
export const contentOf = (output: Rendered): Output["content"] => ({
  html: output.html,
  subject: output.subject,
  title: output.title,
  body: output.body,
  text: output.text,
  blocks: output.blocks,
  ...(output.native === undefined ? {} : { native: output.native }),
  ...(output.segments === undefined ? {} : { segments: output.segments })
})

/** What each channel was last given to send. */
export const outputs = (events: ReadonlyArray<HistoryEvent>): ReadonlyArray<Output> => {
  const rendered = events.flatMap(({ channel, output, type }) =>
    type === "RENDERED" && channel !== undefined && output !== undefined ? [{ channel, output }] : []
  )
  return [...new Map(rendered.map((event) => [event.channel, event])).values()].map(({ channel, output }) => ({
    channel,
    channel_id: channel,
    content: contentOf(output)
  }))
}
