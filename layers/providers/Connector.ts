import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import * as Connection from "#layers/outbound/Connection.ts"
import * as Proxy from "#layers/outbound/Proxy.ts"
import * as Tunnel from "#layers/outbound/Tunnel.ts"
import * as VendorHosts from "#layers/outbound/VendorHosts.ts"
import { OutboundNotSent } from "#src/delivery/Outbound.ts"
import type * as Undici from "@effect/platform-node/Undici"
import { Array, Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { lookup, type LookupAddress, type LookupOptions } from "node:dns"
import type { LookupFunction } from "node:net"

/** Where connections may lead, and by which proxies they go (none if absent). */
export type Guard = Omit<Connection.Guard, "dns">

/** Where a host that speaks IPv6 alone finds the IPv4 ones (RFC 6052). */
const translation = IpNetwork.fromStringUnsafe("64:ff9b::/96")

/** The IPv4 address that a translated one leads to; else the address itself. */
const destination = (address: NetAddress.IpAddress): NetAddress.IpAddress =>
  NetAddress.isIpv6Address(address) && IpNetwork.contains(translation, address)
    ? NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(12)))
    : address

export const judge = (allow: AddressPolicy.Allowed, address: NetAddress.IpAddress, port: number) =>
  AddressPolicy.check(allow, destination(address), port)

const judgeFound = (allow: AddressPolicy.Allowed, address: string, port: number) =>
  NetAddress.ipFromString(address).pipe(
    Result.mapError((): AddressPolicy.Refusal => ({ reason: "address", detail: "unreadable address" })),
    Result.flatMap((ip) => judge(allow, ip, port))
  )

type Permitted = Result.Result<Array.NonEmptyArray<LookupAddress>, Error>

/** Those of a name's addresses that may be connected to. */
const permitted = (
  allow: AddressPolicy.Allowed,
  port: number,
  name: string,
  options: LookupOptions,
  answer: (found: Permitted) => void
) =>
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error !== null) return answer(Result.fail(error))
    const [good, refusals] = Array.partition(
      found,
      (one) => Result.map(judgeFound(allow, one.address, port), () => one)
    )
    if (Array.isArrayNonEmpty(good)) return answer(Result.succeed(good))
    const [refusal] = refusals
    answer(Result.fail(refusal === undefined ? new Error("no address") : Connection.refuse(name, refusal)))
  })

/** Connections are made to no other address of a name. */
const looking = (allow: AddressPolicy.Allowed, port: number): LookupFunction => (name, options, answer) =>
  permitted(allow, port, name, options, (found) => {
    if (Result.isFailure(found)) return answer(found.failure, [])
    const [first] = found.success
    return options.all === true ? answer(null, found.success) : answer(null, first.address, first.family)
  })

/**
 * How connections to vendors are made: to permitted addresses, or by a proxy, which is asked for a vendor's own host by
 * name, and for other hosts by a permitted address (`Connection`).
 */
export const make = Effect.fnUntraced(function*({ allow, ca, proxies = Proxy.none }: Guard) {
  const { buildConnector } = yield* Effect.promise(() => import("@effect/platform-node/Undici"))
  const trusted = ca === undefined ? {} : { ca }

  /** `port` is what addresses are judged by: any other than 80 and 443 counts alike. */
  return (port: number, { http2 }: { readonly http2: boolean }): Undici.buildConnector.connector => {
    // undici reads `useH2c`, though its types here do not know it.
    const protocol = { allowH2: http2, useH2c: http2, ...trusted }
    const direct = buildConnector({
      ...protocol,
      lookup: looking(allow, port),
      autoSelectFamily: true,
      // In ms. Node gives an address a quarter of a second, and then tries the next: where the last is of a family that
      // is not routed, a host that is further away is never reached (nodejs/node#54359).
      autoSelectFamilyAttemptTimeout: 1_000
    })
    const inTunnel = buildConnector(protocol)

    return (to, answer) => {
      const secure = to.protocol === "https:"
      const target = { host: to.hostname, port: Number(to.port) || (secure ? 443 : 80), secure }
      const proxy = Proxy.via(proxies, target)
      if (proxy === undefined) return direct(to, answer)
      const tunnel = (host: string) => {
        const socket = Tunnel.open(proxy, Tunnel.authorityOf(host, target.port), (fault) => {
          if (fault !== undefined)
            return answer(new OutboundNotSent({ stage: "connect", detail: `${to.host}: ${fault}` }), null)
          if (secure) return inTunnel({ ...to, httpSocket: socket }, answer)
          answer(null, http2 ? Object.assign(socket, { alpnProtocol: "h2" }) : socket)
        }, ca)
      }
      if (VendorHosts.isVendors(to.hostname)) return tunnel(to.hostname)
      permitted(
        allow,
        port,
        to.hostname,
        {},
        (found) =>
          Result.isFailure(found) ? answer(found.failure, null) : tunnel(Connection.forProxy(found.success).address)
      )
    }
  }
})
