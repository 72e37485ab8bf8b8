import type { IpNetwork } from "effect/net"
import { IpNetwork as Network } from "effect/net"

const named = (name: string, cidrs: ReadonlyArray<string>) =>
  cidrs.map((cidr) => ({ name, network: Network.fromStringUnsafe(cidr) }))

/**
 * Every network whose addresses are not hosts on the public internet; the first match names an address. Sources: the
 * IANA special-purpose registries for IPv4 and IPv6 (RFC 6890), and, for IPv6, that only 2000::/3 is global unicast
 * (RFC 4291 §2.4): everything else is refused.
 */
export const reservedNetworks: ReadonlyArray<{ readonly name: string; readonly network: IpNetwork.IpNetwork }> = [
  ...named("unspecified", ["0.0.0.0/8", "::/128"]),
  ...named("loopback", ["127.0.0.0/8", "::1/128"]),
  ...named("private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]),
  ...named("link-local", ["169.254.0.0/16", "fe80::/10"]),
  ...named("carrier-grade NAT", ["100.64.0.0/10"]),
  // Azure answers every virtual machine here, although the address is a public one.
  ...named("cloud platform", ["168.63.129.16/32"]),
  ...named("documentation", ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"]),
  ...named("benchmarking", ["198.18.0.0/15", "2001:2::/48"]),
  ...named("multicast", ["224.0.0.0/4", "ff00::/8"]),
  ...named("broadcast", ["255.255.255.255/32"]),
  ...named("IPv4 in IPv6", ["::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48"]),
  ...named("tunnel", ["2001::/32", "2002::/16", "192.88.99.0/24", "192.52.193.0/24", "2001:3::/32"]),
  ...named("site-local", ["fec0::/10"]),
  ...named("name service", ["192.31.196.0/24", "192.175.48.0/24", "2001:4:112::/48", "2620:4f:8000::/48"]),
  ...named("reserved", ["192.0.0.0/24", "240.0.0.0/4", "2001::/23", "::/3", "4000::/2", "8000::/1"])
]
