/** How far a transaction has come. In `body` and `final` the message, or a part of it, is with the server. */
export type Stage =
  | "pool"
  | "connect"
  | "greeting"
  | "ehlo"
  | "starttls"
  | "auth"
  | "mail"
  | "rcpt"
  | "data"
  | "body"
  | "final"

/** The server refused, in its own words. */
export interface Refused {
  readonly _tag: "Refused"
  readonly stage: Stage
  readonly code: number
  /** The enhanced status code of RFC 3463, such as `5.1.1`. */
  readonly enhanced: string | undefined
  /** All its lines as one, without their codes. */
  readonly text: string
}

/** The server gave no answer. `code` is the runtime's name of the fault, or one of ours. */
export interface Silent {
  readonly _tag: "Silent"
  readonly stage: Stage
  readonly code: string
}

/** Our own rules refuse the message before a transaction begins. */
export interface Unfit {
  readonly _tag: "Unfit"
  readonly kind: "ContentRejected" | "Misconfigured"
  readonly detail: string
}

export type Fault = Refused | Silent | Unfit

const reply = /^(\d{3})(?:[ -](?:([245]\.\d{1,3}\.\d{1,3})(?:\s|$))?([\s\S]*))?$/

/** Characters of a reply that are read: none that is of use is longer. */
const longest = 1_000

/** A server's reply as a refusal, with the codes of its first line; `undefined` if it is none. */
export const refused = (stage: Stage, response: string): Refused | undefined => {
  const [first, ...more] = response.slice(0, longest).split(/\r?\n|\r/).map((line) => ({
    line,
    parts: reply.exec(line)
  }))
  const [, code, enhanced, text = ""] = first?.parts ?? []
  return code === undefined || !/^[45]/.test(code)
    ? undefined
    : {
      _tag: "Refused",
      stage,
      code: Number(code),
      enhanced,
      text: [text, ...more.map(({ line, parts }) => parts?.[3] ?? (parts === null ? line : ""))].join(" ").trim()
    }
}

export const silent = (stage: Stage, code: string): Silent => ({ _tag: "Silent", stage, code })

/** Whether the server may have taken the message although it never said so. */
export const begun = (stage: Stage): boolean => stage === "body" || stage === "final"
