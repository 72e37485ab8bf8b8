import { faultCode } from "#layers/outbound/FaultCode.ts"
import { OutboundRefused, type OutboundRequest } from "#src/delivery/Outbound.ts"
import { Effect, Result } from "effect"
import { Host, NetAddress } from "effect/net"
import { validateHeaderName, validateHeaderValue } from "node:http"

/** Where a request goes, taken from its URL alone. */
export interface Target {
  readonly host: NetAddress.IpAddress | Host.DomainName
  readonly port: number
  readonly secure: boolean
  /** The `host` header: name or bracketed address, with the port unless it is the scheme's. */
  readonly authority: string
  readonly path: string
}

/**
 * Headers that decide how a message is framed or routed. A caller who sets one could smuggle in a second request or
 * name another host.
 */
const framing = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const checkHeader = Effect.fnUntraced(function*(name: string, value: string) {
  if (framing.has(name.toLowerCase())) {
    return yield* new OutboundRefused({ reason: "header", detail: `${name.toLowerCase()} is set by the client` })
  }
  yield* Effect.try({
    try: () => {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    },
    catch: (error) => new OutboundRefused({ reason: "header", detail: faultCode(error) })
  })
})

/**
 * Reads the URL as the WHATWG parser does, by which every spelling of an address is the same address. What it refuses
 * is refused before any look-up.
 */
export const fromRequest = Effect.fnUntraced(function*(request: OutboundRequest) {
  const url = URL.parse(request.url)
  if (url === null) return yield* new OutboundRefused({ reason: "url", detail: "not an absolute URL" })
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return yield* new OutboundRefused({ reason: "scheme", detail: `${url.protocol} is not http: or https:` })
  }
  if (url.username !== "" || url.password !== "") {
    return yield* new OutboundRefused({ reason: "credentials", detail: "the URL carries credentials" })
  }
  const host = Host.hostFromString(url.hostname.replace(/^\[|\]$/g, ""))
  if (Result.isFailure(host) || NetAddress.isScopedIpv6Literal(host.success)) {
    return yield* new OutboundRefused({ reason: "url", detail: "the host is neither a name nor an address" })
  }
  yield* Effect.forEach(Object.entries(request.headers), ([name, value]) => checkHeader(name, value), { discard: true })
  const secure = url.protocol === "https:"
  const target: Target = {
    host: host.success,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    secure,
    authority: url.host,
    path: `${url.pathname}${url.search}`
  }
  return target
})
