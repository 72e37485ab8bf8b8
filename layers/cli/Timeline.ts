import { counted } from "#layers/cli/Counted.ts"
import type { Several } from "#layers/cli/Server.ts"
import type { MessageDetails } from "#schemas/api/MessageDetails.ts"
import type { HistoryEntry } from "#schemas/api/Messages.ts"
import { type DecisionRule, PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import { LeftOut } from "#schemas/Suppression.ts"
import { DateTime, Option, Predicate, Schema } from "effect"

const iso = (ms: number): string =>
  Option.match(DateTime.make(ms), { onNone: () => String(ms), onSome: DateTime.formatIso })

/**
 * Removes from a caller's text what would move the terminal's cursor, break the line or change the direction of text.
 */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ")

const member = (entry: HistoryEntry, name: string, inner?: string): string | undefined => {
  const value = entry[name]
  const found = inner === undefined ? value : Predicate.hasProperty(value, inner) ? value[inner] : undefined
  return typeof found === "string" || typeof found === "number" ? plain(String(found)) : undefined
}

/**
 * `webhook`, or `email/ses` where the provider has another name than its channel; followed by the number of the
 * attempt.
 */
const place = (entry: HistoryEntry): string | undefined => {
  const channel = member(entry, "channel", "id")
  if (channel === undefined) return undefined
  const provider = member(entry, "integration", "provider") ?? channel
  const attempt = member(entry, "attempt")
  return `${channel === provider ? channel : `${channel}/${provider}`}${attempt === undefined ? "" : ` #${attempt}`}`
}

const labelled = (label: string, value: string | undefined): string | undefined =>
  value === undefined ? undefined : `${label} ${value}`

const isDecision = Schema.is(PreferenceDecision)

const by = ({ id, snoozed, source }: DecisionRule): string =>
  `by ${source.replaceAll("_", " ")} ${plain(id)}${snoozed === true ? " (snoozed)" : ""}`

/** Which of the recipient's preferences decided what about the message. */
const decided = (entry: HistoryEntry): ReadonlyArray<string | undefined> => {
  if (entry.type !== "PREFERENCES_RESOLVED" || !isDecision(entry)) return []
  const { channels, rule, status } = entry
  return [
    rule === undefined ? undefined : `${status} ${by(rule)}`,
    ...(channels === undefined ? [] : [
      `channels ${channels.kept.length === 0 ? "none" : channels.kept.map(plain).join(" ")} ${by(channels.rule)}`,
      channels.dropped.length === 0 ? undefined : `without ${channels.dropped.map(plain).join(" ")}`
    ])
  ]
}

const isSuppressed = Schema.is(Schema.Array(LeftOut))

/** The channels that the message does not go through, since the recipient's address for them is suppressed. */
const suppressed = (entry: HistoryEntry): string | undefined => {
  const value = entry["suppressed"]
  return isSuppressed(value)
    ? `without ${value.map(({ channel, reason }) => `${channel} (suppressed: ${reason})`).join(" and ")}`
    : undefined
}

const unknown = (entry: HistoryEntry): ReadonlyArray<string> =>
  ["tenant", "topic", "brand"].flatMap((kind) => {
    const id = member(entry, `unknown_${kind}`)
    return id === undefined ? [] : [`without the ${kind} ${id}, which does not exist`]
  })

const notes = (entry: HistoryEntry): ReadonlyArray<string> => {
  const due = entry["due_at"]
  return [
    member(entry, "outcome"),
    ...decided(entry),
    member(entry, "reason"),
    member(entry, "error_message"),
    suppressed(entry),
    ...unknown(entry),
    labelled("reference", member(entry, "reference", "id")),
    typeof due === "number" ? `next try ${iso(due)} (in ${due - entry.ts} ms)` : undefined,
    entry["possible_duplicate"] === true ? "possible duplicate" : undefined
  ].filter(Predicate.isNotUndefined)
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    []
  )
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd())
}

const summary = (message: MessageDetails): ReadonlyArray<string> => [
  message.status,
  message.id,
  `to ${plain(message.recipient)}`,
  iso(message.enqueued),
  [message.reason, message.error].filter(Predicate.isNotUndefined).map(plain).join(": ")
]

/** A message's status line, then one line per event, with the ms since the first event. */
export const timeline = (message: MessageDetails, events: ReadonlyArray<HistoryEntry>): string => {
  const since = events[0]?.ts ?? message.enqueued
  const offsets = events.map(({ ts }) => `+${ts - since} ms`)
  const width = Math.max(0, ...offsets.map((offset) => offset.length))
  const rows = events.map((entry, index) => [
    `  ${(offsets[index] ?? "").padStart(width)}`,
    entry.type,
    place(entry) ?? "",
    notes(entry).join(", ")
  ])
  return [...table([summary(message)]), ...table(rows)].join("\n")
}

const heading = ({ id, messages, more, request }: Several): string => {
  const number = more
    ? `the newest ${messages.length} of ${request?.messages ?? "more"} messages`
    : counted(messages.length, "message")
  const notes = request === undefined ? [] : [
    request.state === "COMPLETED" ? undefined : request.state,
    request.archived ? "archived" : undefined,
    request.error === undefined ? undefined : plain(request.error)
  ]
  return [`${request === undefined ? "Trace" : "Request"} ${plain(id)}: ${number}`, ...notes]
    .filter(Predicate.isNotUndefined).join(", ")
}

/** The messages of one request or trace id, one per line, below a heading that says how far the request has come. */
export const listing = (found: Several): string =>
  [heading(found), ...table(found.messages.map((message) => ["", ...summary(message)]))].join("\n")
