import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import { faultCode } from "#layers/outbound/FaultCode.ts"
import * as Proxy from "#layers/outbound/Proxy.ts"
import * as Tunnel from "#layers/outbound/Tunnel.ts"
import * as VendorHosts from "#layers/outbound/VendorHosts.ts"
import type { Target } from "#layers/outbound/Target.ts"
import { OutboundNotSent, OutboundRefused } from "#src/delivery/Outbound.ts"
import { Array, Deferred, Effect, Result } from "effect"
import { type Dns, Host, NetAddress } from "effect/net"
import { connect as connectTcp, type LookupFunction, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

export interface Guard {
  readonly dns: Dns.Dns["Service"]
  readonly allow: AddressPolicy.Allowed
  /** None if absent. */
  readonly proxies?: Proxy.Proxies | undefined
  /** Certificate authorities (PEM) in place of the runtime's own. */
  readonly ca?: string | undefined
}

/** Says why a host is not reached, and who lets it through. */
export const refuse = (name: string, { reason, detail }: AddressPolicy.Refusal) =>
  new OutboundRefused({ reason, detail: `${name}: ${detail}; an operator lets it through with TIDINGS_OUTBOUND_ALLOW` })

interface Found {
  readonly address: string
  readonly family: 4 | 6
}

/** The addresses of the target that may be connected to; refused when it has none. */
const permitted = Effect.fnUntraced(function*(guard: Guard, target: Target, name: string) {
  const addresses = NetAddress.isIpAddress(target.host)
    ? [target.host]
    : yield* guard.dns.lookup(target.host).pipe(
      Effect.mapError((error) => new OutboundNotSent({ stage: "dns", detail: `${name}: ${error.reason}` }))
    )
  const [good, refusals] = Array.partition(
    addresses,
    (address) => AddressPolicy.check(guard.allow, address, target.port)
  )
  if (Array.isReadonlyArrayNonEmpty(good))
    return Array.map(good, (address): Found => ({
      address: NetAddress.formatIp(address),
      family: NetAddress.isIpv4Address(address) ? 4 : 6
    }))
  const [first] = refusals
  return yield* first === undefined
    ? new OutboundNotSent({ stage: "dns", detail: `${name}: no address` })
    : refuse(name, first)
})

/** The peer as the kernel names it, judged like any address. */
const checkPeer = (guard: Guard, target: Target, peer: string): Result.Result<unknown, AddressPolicy.Refusal> =>
  NetAddress.ipFromString(peer).pipe(
    Result.mapError((): AddressPolicy.Refusal => ({ reason: "address", detail: "unreadable peer address" })),
    Result.flatMap((address) => AddressPolicy.check(guard.allow, address, target.port))
  )

const notConnected = (name: string) => (fault: string) =>
  new OutboundNotSent({ stage: "connect", detail: `${name}: ${fault}` })

/** Calls back when it has ended, with the fault if it failed; whatever comes after the first call is not heard. */
type Done = (fault: string | undefined) => void

/** Opens a socket that closes with the scope, and waits until it is ready. */
const opened = Effect.fnUntraced(function*(
  create: (done: Done) => Socket,
  failed: (fault: string) => OutboundNotSent
) {
  const ended = Deferred.makeUnsafe<void, OutboundNotSent>()
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() =>
      create((fault) => Deferred.doneUnsafe(ended, fault === undefined ? Effect.void : Effect.fail(failed(fault))))
    ),
    (socket) => Effect.sync(() => socket.destroy())
  )
  yield* Deferred.await(ended)
  return socket
})

/** Hears of a socket once it has emitted `ready`, or failed. */
const heard = (socket: Socket, ready: "connect" | "secureConnect", done: Done): Socket =>
  socket
    .once(ready, () => done(undefined))
    // Stays for the life of the socket: an unhandled error event ends the process.
    .on("error", (error) => done(faultCode(error)))
    .once("close", () => done("closed"))

/** A socket to the target itself. Its real peer is judged again, before even a TLS greeting is written. */
const direct = Effect.fnUntraced(function*(guard: Guard, target: Target, name: string) {
  const addresses = yield* permitted(guard, target, name)
  const [first] = addresses
  const lookup: LookupFunction = (_, options, answer) =>
    options.all ? answer(null, [...addresses]) : answer(null, first.address, first.family)

  const socket = yield* opened((done) =>
    heard(
      connectTcp({
        host: name,
        port: target.port,
        lookup,
        noDelay: true,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: 1000
      }),
      "connect",
      done
    ), notConnected(name))
  if (socket.remoteAddress === undefined) return yield* notConnected(name)("closed")
  const peer = checkPeer(guard, target, socket.remoteAddress)
  if (Result.isFailure(peer)) return yield* refuse(name, peer.failure)
  return socket
})

/**
 * The address that a proxy is asked for. Not the name: what the proxy looks up could be another address than the one
 * that was judged, and on the operator's own network. Of two families IPv4, which every proxy speaks.
 */
export const forProxy = <A extends { readonly family: number }>(found: Array.NonEmptyReadonlyArray<A>): A =>
  found.find(({ family }) => family === 4) ?? found[0]

/** A tunnel to the target: by name to a vendor's own host, which perhaps only the proxy can look up. */
const tunnelled = Effect.fnUntraced(function*(guard: Guard, target: Target, name: string, proxy: Proxy.Proxy) {
  const host = VendorHosts.isVendors(name) ? name : forProxy(yield* permitted(guard, target, name)).address
  return yield* opened(
    (done) => Tunnel.open(proxy, Tunnel.authorityOf(host, target.port), done, guard.ca),
    notConnected(name)
  )
})

/**
 * Opens a new connection that closes with the scope, ready for the first byte of the request, by a proxy where the
 * operator says so. The name is looked up once and only permitted addresses are dialled; of two families, the next is
 * tried after a second.
 */
export const open = Effect.fnUntraced(function*(guard: Guard, target: Target) {
  const { host, port, secure } = target
  const name = NetAddress.isIpAddress(host) ? NetAddress.formatIp(host) : Host.toRelative(host)
  const proxy = guard.proxies === undefined ? undefined : Proxy.via(guard.proxies, { host: name, port, secure })
  const socket = proxy === undefined
    ? yield* direct(guard, target, name)
    : yield* tunnelled(guard, target, name, proxy)
  if (!secure) return socket

  return yield* opened((done) =>
    heard(
      connectTls({
        socket,
        host: name,
        // Explicit, so that no environment variable can switch it off.
        rejectUnauthorized: true,
        ALPNProtocols: ["http/1.1"],
        ...(NetAddress.isIpAddress(host) ? {} : { servername: name }),
        ...(guard.ca === undefined ? {} : { ca: guard.ca })
      }),
      "secureConnect",
      done
    ), (fault) => new OutboundNotSent({ stage: "tls", detail: `${name}: ${fault}` }))
})
