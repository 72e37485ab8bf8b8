import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import { faultCode } from "#layers/outbound/FaultCode.ts"
import type { Target } from "#layers/outbound/Target.ts"
import { OutboundNotSent, OutboundRefused } from "#src/delivery/Outbound.ts"
import { Array, Deferred, Effect, Result } from "effect"
import { type Dns, Host, NetAddress } from "effect/net"
import { connect as connectTcp, type LookupFunction, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

export interface Guard {
  readonly dns: Dns.Dns["Service"]
  readonly allow: AddressPolicy.Allowed
  /** Certificate authorities (PEM) in place of the runtime's own. */
  readonly ca?: string | undefined
}

/** Says why a host is not reached, and who lets it through. */
export const refuse = (name: string, { reason, detail }: AddressPolicy.Refusal) =>
  new OutboundRefused({ reason, detail: `${name}: ${detail}; an operator lets it through with TIDINGS_OUTBOUND_ALLOW` })

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
  if (Array.isReadonlyArrayNonEmpty(good)) return good
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

/** Opens a socket that closes with the scope, and waits until it has emitted `ready`. */
const opened = Effect.fnUntraced(function*(
  create: () => Socket,
  ready: "connect" | "secureConnect",
  failed: (fault: string) => OutboundNotSent
) {
  const done = Deferred.makeUnsafe<void, OutboundNotSent>()
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const socket = create()
      socket.once(ready, () => Deferred.doneUnsafe(done, Effect.void))
      // Stays for the life of the socket: an unhandled error event ends the process.
      socket.on("error", (error) => Deferred.doneUnsafe(done, Effect.fail(failed(faultCode(error)))))
      socket.once("close", () => Deferred.doneUnsafe(done, Effect.fail(failed("closed"))))
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
  yield* Deferred.await(done)
  return socket
})

/**
 * Opens a new connection that closes with the scope, ready for the first byte of the request. The name is looked up
 * once and only permitted addresses are dialled; of two families, the next is tried after a second. Then the socket's
 * real peer is judged again, before even a TLS greeting is written.
 */
export const open = Effect.fnUntraced(function*(guard: Guard, target: Target) {
  const name = NetAddress.isIpAddress(target.host) ? NetAddress.formatIp(target.host) : Host.toRelative(target.host)
  const addresses = Array.map(yield* permitted(guard, target, name), (address) => ({
    address: NetAddress.formatIp(address),
    family: NetAddress.isIpv4Address(address) ? 4 : 6
  }))
  const [first] = addresses
  const lookup: LookupFunction = (_, options, answer) =>
    options.all ? answer(null, addresses) : answer(null, first.address, first.family)

  const notConnected = (fault: string) => new OutboundNotSent({ stage: "connect", detail: `${name}: ${fault}` })
  const socket = yield* opened(
    () =>
      connectTcp({
        host: name,
        port: target.port,
        lookup,
        noDelay: true,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: 1000
      }),
    "connect",
    notConnected
  )
  if (socket.remoteAddress === undefined) return yield* notConnected("closed")
  const peer = checkPeer(guard, target, socket.remoteAddress)
  if (Result.isFailure(peer)) return yield* refuse(name, peer.failure)
  if (!target.secure) return socket

  return yield* opened(
    () =>
      connectTls({
        socket,
        host: name,
        // Explicit, so that no environment variable can switch it off.
        rejectUnauthorized: true,
        ALPNProtocols: ["http/1.1"],
        ...(NetAddress.isIpAddress(target.host) ? {} : { servername: name }),
        ...(guard.ca === undefined ? {} : { ca: guard.ca })
      }),
    "secureConnect",
    (fault) => new OutboundNotSent({ stage: "tls", detail: `${name}: ${fault}` })
  )
})
