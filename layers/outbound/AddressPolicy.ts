import { reservedNetworks } from "#layers/outbound/ReservedNetworks.ts"
import { Config, Result, Schema } from "effect"
import { IpNetwork, type NetAddress } from "effect/net"

/** Networks that the operator lets through, on every port. */
export type Allowed = ReadonlyArray<IpNetwork.IpNetwork>

/** `TIDINGS_OUTBOUND_ALLOW`: CIDRs separated by commas, host bits zero; nothing is allowed when unset. */
export const allowed: Config.Config<Allowed> = Config.Array(
  Schema.Trim.pipe(Schema.decodeTo(Schema.IpNetworkFromString)),
  "TIDINGS_OUTBOUND_ALLOW"
).pipe(Config.withDefault([]))

export interface Refusal {
  readonly reason: "address" | "port"
  readonly detail: string
}

/**
 * The address itself if a request may go to it at this port, else why not. What the operator allowed passes; anything
 * else must be a public address and port 80 or 443 (reliability.md §4, SSRF). An IPv4 address inside an IPv6 one is
 * judged as IPv6.
 */
export const check = (
  allow: Allowed,
  address: NetAddress.IpAddress,
  port: number
): Result.Result<NetAddress.IpAddress, Refusal> => {
  const holds = (network: IpNetwork.IpNetwork) => IpNetwork.contains(network, address)
  if (allow.some(holds)) return Result.succeed(address)
  const reserved = reservedNetworks.find(({ network }) => holds(network))
  if (reserved !== undefined) return Result.fail({ reason: "address", detail: `${reserved.name} address` })
  if (port !== 80 && port !== 443) return Result.fail({ reason: "port", detail: `port ${port} is not 80 or 443` })
  return Result.succeed(address)
}
