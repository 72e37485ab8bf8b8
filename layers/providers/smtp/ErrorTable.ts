import type { Fault, Refused, Silent, Stage } from "#layers/providers/smtp/Fault.ts"
import { begun } from "#layers/providers/smtp/Fault.ts"
import { toError, type Verdict } from "#layers/providers/Verdict.ts"
import { type DeliveryError, Misconfigured, Unavailable, Unknown } from "#schemas/DeliveryError.ts"

interface Row extends Verdict {
  /** Stages it holds for; all when left out. */
  readonly at?: ReadonlyArray<Stage>
  readonly codes?: ReadonlyArray<number>
  /** Enhanced status codes; a row with them never matches a reply without one. */
  readonly enhanced?: RegExp
}

const envelope: ReadonlyArray<Stage> = ["rcpt", "data", "final"]
const session: ReadonlyArray<Stage> = ["connect", "greeting", "ehlo", "starttls", "auth"]

/**
 * The first row that fits decides. RFC 5321 §4.2.3 gives the codes, RFC 3463 and the IANA registry of enhanced status
 * codes their reasons; what big receivers make of them is said where it differs. Every reply proves that this copy
 * was not taken.
 */
const temporary: ReadonlyArray<Row> = [
  // Too fast, too much, or greylisted: later, but here.
  { codes: [421, 450, 451, 452], enhanced: /^4\.7\./, kind: "RateLimited" },
  { codes: [450, 451], enhanced: /^4\.2\.1$/, kind: "RateLimited" },
  { codes: [451, 452], enhanced: /^4\.5\.3$/, kind: "RateLimited" },
  { codes: [452], enhanced: /^4\.3\.1$/, kind: "Unavailable" },
  { codes: [452], enhanced: /^4\.2\.2$/, kind: "Unavailable" },
  { codes: [452], kind: "RateLimited" },
  { kind: "Unavailable" }
]

const permanent: ReadonlyArray<Row> = [
  // Before a message is named, whatever is wrong is wrong with us.
  { at: session, kind: "Misconfigured" },
  { codes: [530, 534, 535, 538], kind: "Misconfigured" },
  // The address is dead for good.
  { at: envelope, enhanced: /^5\.1\.(?:1|2|3|6|10)$/, kind: "RecipientRejected", invalidates: true },
  { at: envelope, enhanced: /^5\.2\.1$/, kind: "RecipientRejected", invalidates: true },
  { at: ["rcpt"], codes: [521, 556], kind: "RecipientRejected", invalidates: true },
  // It lives, but takes nothing: full, too long, or no way there.
  { at: envelope, enhanced: /^5\.(?:2\.[02-9]|1\.[05]|4\.\d+)$/, kind: "RecipientRejected" },
  // Too big, or of a form that is not wanted.
  { enhanced: /^5\.(?:3\.4|6\.\d+)$/, kind: "ContentRejected" },
  { at: ["mail"], codes: [552], kind: "ContentRejected" },
  // The sender, relaying, policy towards us: another provider may do better.
  { at: ["mail"], kind: "Misconfigured" },
  { at: ["rcpt", "data"], enhanced: /^5\.(?:1\.[789]|3\.|5\.[1-9]|7\.)/, kind: "Misconfigured" },
  { at: ["rcpt"], codes: [550, 551, 552, 553], kind: "RecipientRejected" },
  { at: ["rcpt"], kind: "Misconfigured" },
  // A message of which the server has seen all: what it says is about that.
  { at: ["data", "body", "final"], codes: [500, 501, 502, 503, 504, 555], kind: "Misconfigured" },
  // Our login, or what the receiver makes of our SPF, DKIM and reverse name (5.7.20 to 5.7.29).
  { enhanced: /^5\.7\.(?:8|9|1[14]|2\d)$/, kind: "Misconfigured" },
  { enhanced: /^5\.(?:1\.[78]|3|5)/, kind: "Misconfigured" },
  { kind: "ContentRejected" }
]

const fits = (row: Row, { code, enhanced, stage }: Refused): boolean =>
  (row.at?.includes(stage) ?? true)
  && (row.codes?.includes(code) ?? true)
  && (row.enhanced === undefined || (enhanced !== undefined && row.enhanced.test(enhanced)))

/**
 * Certificates that do not hold, and servers that speak no TLS where it is asked for, or none of ours; by the codes of Node and Deno alike. A
 * name that is not found is no such thing: of a server that is started anew there may be none for a while.
 */
const unsecurable = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION/

const limit = 200

/** The server's words without the addresses in them (P9), on one line; cut first, since a server may talk for long. */
const words = (text: string): string =>
  text.slice(0, 2 * limit).replace(/\S*@\S*/g, "<address>").replace(/[^\u0020-\u007e]+/g, " ").trim().slice(0, limit)

const refusal = (fault: Refused): DeliveryError => {
  const spoken = [fault.code, fault.enhanced, words(fault.text)].filter((part) => part !== undefined && part !== "")
  const detail = `At ${fault.stage}: ${spoken.join(" ")}`
  const row = (fault.code < 500 ? temporary : permanent).find((row) => fits(row, fault))
  return toError(row ?? { kind: "Unavailable" }, detail)
}

/** A mail server speaks first; a web server waits to be asked. */
const unheard = ({ code, stage }: Silent): string =>
  stage === "greeting" && code === "deadline" ? " (it accepted the connection and sent no greeting)" : ""

/** What became of a message that was not accepted. Only a silence after its first byte leaves that open. */
export const toDeliveryError = (fault: Fault): DeliveryError => {
  switch (fault._tag) {
    case "Refused":
      return refusal(fault)
    case "Unfit":
      return toError(fault, fault.detail)
    case "Silent": {
      const detail = `At ${fault.stage}: ${fault.code}${unheard(fault)}`
      if (begun(fault.stage)) return new Unknown({ detail })
      return unsecurable.test(fault.code) ? new Misconfigured({ detail }) : new Unavailable({ detail })
    }
  }
}
