import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import { faultCode } from "#layers/outbound/FaultCode.ts"
import type { Endpoint } from "#layers/providers/smtp/Endpoint.ts"
import { type Fault, silent } from "#layers/providers/smtp/Fault.ts"
import { Array, Effect, Result } from "effect"
import { type Dns, Host, IpNetwork, NetAddress } from "effect/net"
import { connect, type LookupFunction, type Socket } from "node:net"

/** What decides to which servers a caller may have messages sent. */
export interface Guard {
  readonly dns: Dns.Dns["Service"]
  readonly allow: AddressPolicy.Allowed
}

/** Ports of mail submission only, so that a caller cannot reach other services. */
const ports = new Set([25, 465, 587, 2525])

const forbidden = (detail: string): Fault => ({ _tag: "Unfit", kind: "Misconfigured", detail })

/**
 * The policy knows the ports of HTTP, so it is always asked with 443, and the mail ports are checked here. A network
 * that the operator allowed is open on every port.
 */
const check = ({ allow }: Guard, address: NetAddress.IpAddress, port: number) =>
  Result.flatMap(
    AddressPolicy.check(allow, address, 443),
    (address) =>
      ports.has(port) || allow.some((network) => IpNetwork.contains(network, address))
        ? Result.succeed(address)
        : Result.fail({ detail: `port ${port} is not a mail port` })
  )

const permitted = Effect.fnUntraced(function*(guard: Guard, { host, port }: Endpoint) {
  const parsed = Host.hostFromString(host)
  if (Result.isFailure(parsed) || NetAddress.isScopedIpv6Literal(parsed.success)) {
    return yield* Effect.fail(forbidden(`${host}: neither a name nor an address`))
  }
  const target = parsed.success
  const addresses = NetAddress.isIpAddress(target)
    ? [target]
    : yield* Effect.mapError(guard.dns.lookup(target), ({ reason }) => silent("connect", String(reason)))
  const [good, refusals] = Array.partition(addresses, (address) => check(guard, address, port))
  if (Array.isReadonlyArrayNonEmpty(good)) return good
  return yield* Effect.fail(forbidden(`${host}: ${refusals[0]?.detail ?? "no address"}`))
})

const open = (options: { readonly host: string; readonly port: number; readonly lookup?: LookupFunction }) =>
  Effect.callback<Socket, Fault>((resume) => {
    const socket = connect({ noDelay: true, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1000, ...options })
    const failed = (code: string) => resume(Effect.fail(silent("connect", code)))
    // Stays for the life of the socket: an unhandled error event ends the process.
    socket.on("error", (error) => failed(faultCode(error)))
    socket.once("close", () => failed("closed"))
    socket.once("connect", () => resume(Effect.succeed(socket)))
    return Effect.sync(() => socket.destroy())
  })

/**
 * A connection to a host that a caller named. The name is looked up once, only permitted addresses are dialled, and the
 * socket's real peer is judged again.
 */
const guarded = Effect.fnUntraced(function*(guard: Guard, endpoint: Endpoint) {
  const addresses = Array.map(yield* permitted(guard, endpoint), (address) => ({
    address: NetAddress.formatIp(address),
    family: NetAddress.isIpv4Address(address) ? 4 : 6
  }))
  const [first] = addresses
  const lookup: LookupFunction = (_, options, answer) =>
    options.all ? answer(null, addresses) : answer(null, first.address, first.family)
  const socket = yield* open({ host: endpoint.host, port: endpoint.port, lookup })
  const peer = NetAddress.ipFromString(socket.remoteAddress ?? "").pipe(
    Result.mapError(() => ({ detail: "unreadable peer address" })),
    Result.flatMap((address) => check(guard, address, endpoint.port))
  )
  if (Result.isSuccess(peer)) return socket
  socket.destroy()
  return yield* Effect.fail(forbidden(`${endpoint.host}: ${peer.failure.detail}`))
})

/** A socket on which nothing has been said yet. The caller must close it. */
export const dial = (guard: Guard, endpoint: Endpoint): Effect.Effect<Socket, Fault> =>
  endpoint.guarded ? guarded(guard, endpoint) : open({ host: endpoint.host, port: endpoint.port })
