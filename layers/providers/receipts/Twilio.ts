import { equal, forged, textOf } from "#layers/providers/receipts/Checks.ts"
import { fromMarks, marked } from "#layers/providers/receipts/Marks.ts"
import type { CallbackReader } from "#src/reports/Callbacks.ts"
import type { Receipt, ReceiptEvent } from "#src/reports/Receipts.ts"
import { createHmac } from "node:crypto"
import { Effect, Option, Schema } from "effect"

/**
 * The longest body that is checked, in bytes. Twilio's callbacks have one or two kB, and nothing is proved before the
 * whole body is hashed.
 */
const longest = 65_536

/** The account's own token signs its callbacks. */
const Settings = Schema.Struct({
  auth_token: Schema.NonEmptyString,
  status_callback: Schema.optionalKey(Schema.String)
})

/**
 * Message statuses. `accepted`, `queued`, `sending` and `sent` say nothing that the call itself did not. `read` comes
 * from WhatsApp and RCS.
 */
const table = new Map<string, ReceiptEvent>([
  ["delivered", "Deliver"],
  ["read", "Open"],
  ["undelivered", "Bounce"],
  ["failed", "Bounce"]
])

/** The URL with and without its fragment, which Twilio keeps for itself: it is not documented whether it is signed. */
const fragments = (url: string): ReadonlyArray<string> => [url, url.replace(/#.*$/s, "")]

/** The URL with and without its scheme's default port: Twilio signs either form. */
const spellings = (url: string): ReadonlyArray<string> => {
  const parts = /^(https?):\/\/([^/?#]*)(.*)$/s.exec(url)
  if (parts === null) return []
  const [, scheme = "", authority = "", rest = ""] = parts
  const host = authority.replace(/:\d+$/, "")
  return [url, `${scheme}://${host}${rest}`, `${scheme}://${host}:${scheme === "https" ? 443 : 80}${rest}`]
}

/** The signed form fields, which follow the URL: sorted by name, and each different value of a name once. */
const signed = (fields: URLSearchParams): string => {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of fields) values.set(name, (values.get(name) ?? new Set()).add(value))
  return [...values.keys()].toSorted().flatMap((name) =>
    [...values.get(name) ?? []].toSorted().map((value) => `${name}${value}`)
  ).join("")
}

const isSigned = (token: string, urls: ReadonlyArray<string>, fields: URLSearchParams, signature: string): boolean => {
  const text = signed(fields)
  return [...new Set(urls.flatMap(spellings))]
    .map((url) => equal(createHmac("sha1", token).update(url + text).digest("base64"), signature))
    .includes(true)
}

const receipt = (fields: URLSearchParams, query: URLSearchParams): ReadonlyArray<Receipt> => {
  const status = fields.get("MessageStatus") ?? ""
  const kind = table.get(status)
  const reference = fields.get("MessageSid") ?? undefined
  if (kind === undefined || reference === undefined) return []
  const words = [fields.get("ErrorCode"), fields.get("ErrorMessage")].filter(Boolean).join(" ")
  return [{
    // Twilio gives no event id and no time, but reports each status of a message once.
    id: `${reference}:${status}`,
    event: kind,
    ...fromMarks((name) => query.get(name)),
    reference,
    at: undefined,
    detail: kind === "Bounce" ? `${status} ${words}`.trim() : undefined
  }]
}

const settingsOf = Schema.decodeUnknownOption(Settings)

/**
 * Twilio's status callback: HMAC-SHA-1 over the URL that it calls and the sorted form fields. The adapter sends a
 * `StatusCallback` with the message's id in its query. Without that, only a Messaging Service's own callback comes,
 * which names the message by its SID. It suppresses no number: who sends STOP undoes it with START,
 * of which no status tells, and in between Twilio itself refuses what is sent (21610).
 */
export const reader: CallbackReader = {
  read: Effect.fnUntraced(function*({ body, headers, query, urls }, given) {
    const settings = Option.getOrUndefined(settingsOf(given))
    if (settings === undefined) return yield* forged("the configuration has no auth_token")
    if (body.length > longest) return yield* forged("it is longer than any of Twilio's")
    const fields = new URLSearchParams(textOf(body))
    const signature = headers["x-twilio-signature"] ?? ""
    const { auth_token: token, status_callback: base } = settings
    const asSent = base !== undefined && URL.canParse(base)
      ? fragments(marked(base, query.get("tidings_message_id") ?? ""))
      : []
    if (!isSigned(token, [...asSent, ...urls], fields, signature)) return yield* forged("the signature is wrong")
    return { receipts: receipt(fields, query), addresses: [] }
  })
}
