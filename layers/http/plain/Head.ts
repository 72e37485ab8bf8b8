/** What the head of a plain send says. */
export interface Head {
  readonly authorization: string
  /** Of the body, in bytes. */
  readonly length: number
  /** `Idempotency-Key` and `x-idempotency-expiration`, as they came. */
  readonly key: string | undefined
  readonly expiration: string | undefined
}

/** Headers that change nothing of how a send is answered, or that Node itself heeds. */
const ignored = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "forwarded",
  "pragma",
  "sec-fetch-mode",
  "traceparent",
  "tracestate",
  "user-agent",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
  "x-request-id"
])

/** What the published client tells of itself. */
const ofClient = "x-stainless-"

const json = new Set(["application/json", "application/json; charset=utf-8", "application/json;charset=utf-8"])

type Read =
  | "authorization"
  | "content-length"
  | "content-type"
  | "host"
  | "idempotency-key"
  | "x-idempotency-expiration"

const read: ReadonlySet<string> = new Set<Read>([
  "authorization",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "x-idempotency-expiration"
])
const isRead = (name: string): name is Read => read.has(name)

/** Whether a plain send may have a header of this name, in lower case. */
export const isKnown = (name: string): boolean => isRead(name) || ignored.has(name) || name.startsWith(ofClient)

/**
 * The head of a request, from its headers as Node lists them (name, value, name, value). `undefined` if it has one that
 * is not known here, one twice or in vain, or lacks one that a plain send has, or if its body is longer than `longest`.
 */
export const of = (headers: ReadonlyArray<string>, longest: number): Head | undefined => {
  const found: { [Name in Read]?: string } = {}
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? ""
    if (isRead(name)) {
      if (found[name] !== undefined) return undefined
      found[name] = headers[index + 1] ?? ""
    } else if (!isKnown(name)) return undefined
  }
  const { authorization, "content-length": declared, "content-type": type, host, "idempotency-key": key } = found
  const expiration = found["x-idempotency-expiration"]
  const length = declared === undefined ? 0 : Number(declared)
  if (authorization === undefined || host === undefined || type === undefined || !json.has(type.toLowerCase())) {
    return undefined
  }
  if (!(length > 0 && length <= longest) || (key === undefined && expiration !== undefined)) return undefined
  return { authorization, length, key, expiration }
}
