import * as EnhancedStatus from "#layers/providers/EnhancedStatus.ts"
import type { Fault, Refused, Silent, Stage } from "#layers/providers/smtp/Fault.ts"
import { begun } from "#layers/providers/smtp/Fault.ts"
import { toError, usedUp, type Verdict } from "#layers/providers/Verdict.ts"
import { type DeliveryError, Misconfigured, Unavailable, Unknown } from "#schemas/DeliveryError.ts"

interface Row extends Verdict {
  /** The stages that it applies to; all if left out. */
  readonly at?: ReadonlyArray<Stage>
  readonly codes?: ReadonlyArray<number>
  /** Enhanced status codes; a row with them never matches a reply without one. */
  readonly enhanced?: RegExp
  /** What the reply says, where its codes say too little. */
  readonly says?: RegExp
}

const envelope: ReadonlyArray<Stage> = ["rcpt", "data", "final"]
const session: ReadonlyArray<Stage> = ["connect", "greeting", "ehlo", "starttls", "auth"]

/** A server that does not relay for this login, or not from this sender. */
const unwelcome =
  /\brelay(?:ing)?\b.{0,80}\b(?:not (?:permitted|allowed)|denied|disallowed|prohibited)|\b(?:unable|not allowed|not permitted) to relay\b|\brcpthosts\b|\bverified sender\b|\bsending from domain\b|\bsmtp auth/i

const daily = /\bdaily\b.*\b(?:quota|limit)\b/is

/**
 * The first row that fits decides. RFC 5321 §4.2.3 gives the codes, RFC 3463 and the IANA registry of enhanced status
 * codes their meanings; where big receivers use them differently, a row says so. Every such reply proves that the
 * server did not take this copy.
 */
const temporary: ReadonlyArray<Row> = [
  // A day's share is sent: a mailbox's, or ours, for which SES (454) and others have no enhanced code of its own.
  { at: ["rcpt"], says: /\b(?:mailbox|recipient|user)\b.*\bdaily\b/is, kind: "RateLimited", ofRecipient: true },
  { says: daily, kind: "RateLimited", wait: usedUp },
  // Greylisted, which each recipient's server does for itself: in words, or as a policy that names no fault of ours.
  { at: envelope, codes: [450, 451], says: /gr[ae]y.?list/i, kind: "RateLimited", ofRecipient: true },
  {
    at: ["rcpt"],
    codes: [450, 451],
    enhanced: /^4\.7\./,
    says: /^(?!.*(?:\btoo\b|\brate|\blimit|throttl|\bhost))/is,
    kind: "RateLimited",
    ofRecipient: true
  },
  // Too fast, or too much: to be tried again later, at the same server.
  { codes: [421, 450, 451, 452], enhanced: /^4\.7\./, kind: "RateLimited" },
  { codes: [450, 451], enhanced: /^4\.2\.1$/, kind: "RateLimited", ofRecipient: true },
  { codes: [451, 452], enhanced: /^4\.5\.3$/, kind: "RateLimited" },
  { codes: [452], enhanced: /^4\.3\.1$/, kind: "Unavailable" },
  // The mailbox or its address, not the server.
  { at: envelope, enhanced: /^4\.(?:1\.[1236]|2\.\d+)$/, kind: "Unavailable", ofRecipient: true },
  { codes: [452], kind: "RateLimited" },
  // SES (454) and Microsoft 365 (432) have no such code for it.
  { says: /throttling|limit exceeded/i, kind: "RateLimited" },
  { enhanced: /^4\./, kind: "Unavailable" },
  // A busy mailbox, as a server without such codes has it.
  { at: ["rcpt"], codes: [450], kind: "Unavailable", ofRecipient: true },
  { kind: "Unavailable" }
]

const permanent: ReadonlyArray<Row> = [
  // Before a message is begun, whatever is wrong is wrong with our setup.
  { at: session, kind: "Misconfigured" },
  { codes: [530, 534, 535, 538], kind: "Misconfigured" },
  // Our account has sent its share of the day (Gmail 5.4.5 and its relay, Microsoft 365).
  {
    says: /^(?!.*\b(?:mailbox|recipient)\b).*\bdaily\b.*\b(?:quota|limit) exceeded/is,
    kind: "RateLimited",
    wait: usedUp
  },
  { at: envelope, enhanced: /^5\.4\.5$/, kind: "RateLimited", wait: usedUp },
  { says: /SubmissionQuota/i, kind: "RateLimited", wait: usedUp },
  // Microsoft 365 and SES refuse a sender of ours in the words of a mailbox's, or of a message's.
  { says: /SendAsDenied|OutboundSpam|address is not verified|to send as this sender/i, kind: "Misconfigured" },
  // A mailbox that is sent too much for now.
  { at: envelope, enhanced: /^5\.2\.1$/, says: EnhancedStatus.busy, kind: "RecipientRejected" },
  // The address is dead for good.
  { at: envelope, enhanced: EnhancedStatus.dead, kind: "RecipientRejected", invalidates: true },
  { at: ["rcpt"], codes: [521, 556], kind: "RecipientRejected", invalidates: true },
  // Relays that will not send for us, with no code for it (Exim, qmail, cPanel) or only after the message (SendGrid, Zoho).
  { says: unwelcome, kind: "Misconfigured" },
  // Whom a blocklist names before the message is there is the address that we send from.
  { at: ["mail", "rcpt"], says: /\bspamhaus\b|\bRBL\b/i, kind: "Misconfigured" },
  // The address exists but takes no mail: full, mail too large for it, or not routable.
  { at: envelope, enhanced: /^5\.(?:2\.[02-9]|1\.[05]|4\.\d+)$/, kind: "RecipientRejected" },
  // The message is too large, or of an unwanted form.
  { enhanced: /^5\.(?:3\.4|6\.\d+)$/, kind: "ContentRejected" },
  { at: ["mail"], codes: [552], kind: "ContentRejected" },
  // The sender, relaying or policy against this server: another provider may succeed.
  { at: ["mail"], kind: "Misconfigured" },
  { at: ["rcpt", "data"], enhanced: /^5\.(?:1\.[789]|3\.|5\.[1-9]|7\.)/, kind: "Misconfigured" },
  { at: ["rcpt"], codes: [550, 551, 552, 553], kind: "RecipientRejected" },
  { at: ["rcpt"], kind: "Misconfigured" },
  // From DATA on. These codes are about the protocol, not about the message.
  { at: ["data", "body", "final"], codes: [500, 501, 502, 503, 504, 555], kind: "Misconfigured" },
  // Our login, or the receiver's verdict on our SPF, DKIM and reverse DNS (5.7.20 to 5.7.29; Microsoft: 5.7.5xx, 5.7.7xx).
  { enhanced: /^5\.7\.(?:8|9|1[14]|2\d|60|[57]\d\d)$/, kind: "Misconfigured" },
  { enhanced: /^5\.(?:1\.[78]|3|5)/, kind: "Misconfigured" },
  { kind: "ContentRejected" }
]

const fits = (row: Row, { code, enhanced, stage, text }: Refused): boolean =>
  (row.at?.includes(stage) ?? true)
  && (row.codes?.includes(code) ?? true)
  && (row.enhanced === undefined || (enhanced !== undefined && row.enhanced.test(enhanced)))
  && (row.says?.test(text) ?? true)

/**
 * Codes, of Node and Deno alike, of certificates that do not verify and of servers without TLS where it is required, or
 * without a common TLS version. A name that is not found is not among them: it may be missing for a while when a server
 * is restarted.
 */
const unsecurable = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION/

const limit = 200

/**
 * The server's words on one line, without the addresses in them (P9). Cut first, since a server may send a very long
 * text.
 */
const words = (text: string): string =>
  text.slice(0, 2 * limit).replace(/\S*@\S*/g, "<address>").replace(/[^\u0020-\u007e]+/g, " ").trim().slice(0, limit)

const refusal = (fault: Refused, hasCopies: boolean): DeliveryError => {
  const spoken = [fault.code, fault.enhanced, words(fault.text)].filter((part) => part !== undefined && part !== "")
  const detail = `At ${fault.stage}: ${spoken.join(" ")}`
  const row = (fault.code < 500 ? temporary : permanent).find((row) => fits(row, fault))
  // A reply to the whole message may be about a copy's address.
  const isVague = hasCopies && fault.stage !== "rcpt"
  return toError({ kind: "Unavailable", ...row, ...isVague ? { invalidates: false } : {} }, detail)
}

/**
 * A hint for a server that accepts the connection and sends no greeting: it may be a web server, which waits for a
 * request.
 */
const unheard = ({ code, stage }: Silent): string =>
  stage === "greeting" && code === "deadline" ? " (it accepted the connection and sent no greeting)" : ""

/**
 * What became of a message that was not accepted. Only a silence after its first byte leaves the outcome unknown.
 * `hasCopies`: it was for others too (cc, bcc).
 */
export const toDeliveryError = (fault: Fault, hasCopies = false): DeliveryError => {
  switch (fault._tag) {
    case "Refused":
      return refusal(fault, hasCopies)
    case "Unfit":
      return toError(fault, fault.detail)
    case "Silent": {
      const detail = `At ${fault.stage}: ${fault.code}${unheard(fault)}`
      if (begun(fault.stage)) return new Unknown({ detail })
      return unsecurable.test(fault.code) ? new Misconfigured({ detail }) : new Unavailable({ detail })
    }
  }
}
