import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import * as Connection from "#layers/outbound/Connection.ts"
import * as NamedPools from "#layers/providers/NamedPools.ts"
import type { OutboundRefused } from "#src/delivery/Outbound.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as Undici from "@effect/platform-node/Undici"
import { Array, Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"

/**
 * Of one configuration, at once: a vendor that hangs must not take every socket. Over HTTP/1.1 pushes to recipients with
 * several devices have up to four times as many (`Devices`).
 */
export const connections = 64

/**
 * To one host, at once: as many as several busy configurations have. A call that waits here is no longer in its
 * configuration's turns, and its time runs.
 */
const mostToHost = 8 * connections

const options: Undici.Agent.Options = {
  // A request that waits for a connection is proved not sent.
  connections: mostToHost,
  pipelining: 1,
  maxHeaderSize: 16_384,
  autoSelectFamily: true,
  // In ms. Node gives an address a quarter of a second, and then tries the next: where the last is of a family that is
  // not routed, a host that is further away is never reached (nodejs/node#54359).
  autoSelectFamilyAttemptTimeout: 1_000,
  allowH2: false
}

/**
 * HTTP/2 carries many requests per connection. It stays open for an hour without one (ms), since Apple takes frequent
 * new connections for an attack. undici reads `useH2c`, though its types here do not know it.
 */
const http2Options = { ...options, connections: 4, allowH2: true, useH2c: true, keepAliveTimeout: 3_600_000 }

/** Where a host that speaks IPv6 alone finds the IPv4 ones (RFC 6052). */
const translation = IpNetwork.fromStringUnsafe("64:ff9b::/96")

/** The IPv4 address that a translated one leads to; else the address itself. */
const destination = (address: NetAddress.IpAddress): NetAddress.IpAddress =>
  NetAddress.isIpv6Address(address) && IpNetwork.contains(translation, address)
    ? NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(12)))
    : address

const judge = (allow: AddressPolicy.Allowed, address: NetAddress.IpAddress, port: number) =>
  AddressPolicy.check(allow, destination(address), port)

const judgeFound = (allow: AddressPolicy.Allowed, address: string, port: number) =>
  NetAddress.ipFromString(address).pipe(
    Result.mapError((): AddressPolicy.Refusal => ({ reason: "address", detail: "unreadable address" })),
    Result.flatMap((ip) => judge(allow, ip, port))
  )

/** Answers those of a name's addresses that may be connected to, and connections are made to no other. */
const looking = (allow: AddressPolicy.Allowed, port: number): LookupFunction => (name, options, answer) =>
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error !== null) return answer(error, [])
    const [good, refusals] = Array.partition(
      found,
      (one) => Result.map(judgeFound(allow, one.address, port), () => one)
    )
    const [first] = good
    const [refusal] = refusals
    if (first === undefined) {
      return answer(refusal === undefined ? new Error("no address") : Connection.refuse(name, refusal), [])
    }
    return options.all === true ? answer(null, good) : answer(null, first.address, first.family)
  })

/**
 * The pools of connections to vendors. A setting may name any host (`base_url`), so what they may reach is what a webhook
 * may: public addresses on ports 80 and 443, and the operator's own networks (`TIDINGS_OUTBOUND_ALLOW`).
 */
export const make = Effect.fnUntraced(function*(allow: AddressPolicy.Allowed) {
  const pools = (port: number) => {
    const connect = { lookup: looking(allow, port) }
    return Effect.all({
      http1: NodeHttpClient.makeDispatcherOptions({ ...options, connect }),
      http2: NamedPools.make({ ...http2Options, connect })
    })
  }
  const ordinary = yield* pools(443)
  // A name may stand for addresses of which only some are reached on such a port.
  const other = yield* pools(0)

  /**
   * The pool for a URL, of HTTP/2 if a name is given; refused if its host is an address that may not be reached. A host's
   * name is judged when it is looked up.
   */
  return (url: URL, name: string | undefined): Result.Result<Undici.Dispatcher, OutboundRefused> => {
    const port = Number(url.port === "" ? 443 : url.port)
    const { http1, http2 } = port === 80 || port === 443 ? ordinary : other
    const pool = () => name === undefined ? http1 : http2(name)
    const literal = NetAddress.ipFromString(url.hostname.replace(/^\[|\]$/g, ""))
    return Result.isFailure(literal)
      ? Result.succeed(pool())
      : judge(allow, literal.success, port).pipe(
        Result.mapBoth({ onFailure: (refusal) => Connection.refuse(url.hostname, refusal), onSuccess: pool })
      )
  }
})
