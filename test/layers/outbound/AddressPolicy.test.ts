import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import { reservedNetworks } from "#layers/outbound/ReservedNetworks.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import ipaddr from "ipaddr.js"

const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Ipv4 = Schema.Tuple([Byte, Byte, Byte, Byte])
const Ipv6 = Schema.Array(Byte).check(Schema.isBetweenLength(16, 16))

const ip = NetAddress.ipFromStringUnsafe
const v4 = (octets: ReadonlyArray<number>) => NetAddress.ipv4FromBytesUnsafe(new Uint8Array(octets))
const v6 = (octets: ReadonlyArray<number>) => NetAddress.ipv6FromBytesUnsafe(new Uint8Array(octets))
const octetsOf = (address: NetAddress.IpAddress): ReadonlyArray<number> =>
  NetAddress.isIpv4Address(address) ? NetAddress.ipv4ToOctets(address) : NetAddress.ipv6ToOctets(address)

const verdict = (address: NetAddress.IpAddress, port = 443, allow: ReadonlyArray<string> = []) =>
  Result.match(AddressPolicy.check(allow.map(IpNetwork.fromStringUnsafe), address, port), {
    onSuccess: () => "open",
    onFailure: ({ reason }) => reason
  })

/** The address in the network whose host bits are those of `bits`. */
const within = (network: IpNetwork.IpNetwork, bits: ReadonlyArray<number>) => {
  const octets = octetsOf(network.address).map((octet, index) => {
    const free = 0xff >> Math.min(8, Math.max(0, network.prefixLength - index * 8))
    return octet | ((bits[index] ?? 0) & free)
  })
  return NetAddress.isIpv4Address(network.address) ? v4(octets) : v6(octets)
}

/** Prefixes that random bytes would never hit. */
const specialPrefixes = [
  ...Object.values<unknown>(Object(Reflect.get(ipaddr.IPv6.prototype, "SpecialRanges"))),
  ...Object.values<unknown>(Object(Reflect.get(ipaddr.IPv4.prototype, "SpecialRanges")))
].flatMap((range) => Array.isArray(range) ? (Array.isArray(range[0]) ? range : [range]) : [])
  .map(([address, length]) => IpNetwork.fromStringUnsafe(`${address}/${length}`))

describe("AddressPolicy", () => {
  it.effect.prop(
    "refuses every address of every reserved network, on every port",
    { bits: Ipv6 },
    ({ bits }) =>
      Effect.sync(() => {
        for (const { name, network } of reservedNetworks) {
          assert.strictEqual(verdict(within(network, bits), 80), "address", name)
          assert.strictEqual(verdict(within(network, bits), 8080), "address", name)
        }
      })
  )

  it.effect.prop("refuses an IPv4 address in every IPv6 dress", { octets: Ipv4 }, ({ octets }) =>
    Effect.sync(() => {
      const [a, b, c, d] = octets
      const zeros = (count: number) => Array.from({ length: count }, () => 0)
      const dressed = [
        [...zeros(12), a, b, c, d],
        [...zeros(10), 0xff, 0xff, a, b, c, d],
        [...zeros(8), 0xff, 0xff, 0, 0, a, b, c, d],
        [0, 0x64, 0xff, 0x9b, ...zeros(8), a, b, c, d],
        [0, 0x64, 0xff, 0x9b, 0, 1, ...zeros(6), a, b, c, d],
        [0x20, 2, a, b, c, d, ...zeros(10)],
        [0x20, 1, 0, 0, ...zeros(8), a ^ 255, b ^ 255, c ^ 255, d ^ 255]
      ]
      for (const address of dressed) assert.strictEqual(verdict(v6(address)), "address")
    }))

  it.effect.prop("refuses all of IPv6 but 2000::/3", { octets: Ipv6 }, ({ octets }) =>
    Effect.sync(() => {
      const [first = 0, ...rest] = octets
      if (first >> 5 !== 1) assert.strictEqual(verdict(v6([first, ...rest])), "address")
    }))

  it.effect.prop(
    "opens no address that ipaddr.js keeps out of unicast",
    { octets: Ipv4, bits: Ipv6 },
    ({ bits, octets }) =>
      Effect.sync(() => {
        assert.isAbove(specialPrefixes.length, 40)
        for (const address of [v4(octets), v6(bits), ...specialPrefixes.map((network) => within(network, bits))]) {
          const range = ipaddr.parse(NetAddress.formatIp(address)).range()
          if (range !== "unicast") assert.strictEqual(verdict(address), "address", NetAddress.formatIp(address))
        }
      })
  )

  it.effect.prop(
    "lets through on every port exactly what the operator allowed",
    { octets: Ipv4 },
    ({ octets }) =>
      Effect.sync(() => {
        const [a, b, c] = octets
        const network = `10.${a}.${b}.0/24`
        assert.strictEqual(verdict(v4([10, a, b, c]), 8080, [network]), "open")
        assert.strictEqual(verdict(v4([10, a, (b + 1) % 256, c]), 8080, [network]), "address")
        assert.strictEqual(verdict(ip(`::ffff:10.${a}.${b}.${c}`), 80, [network]), "address")
      })
  )

  it("opens the neighbours of the reserved networks, on 80 and 443 only", () => {
    const neighbours = [
      ["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
      ["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0"],
      ["198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1", "2606:4700::1111", "2a00:1450::1"]
    ].flat()
    for (const address of neighbours) {
      assert.deepStrictEqual(
        [80, 443, 8443].map((port) => verdict(ip(address), port)),
        ["open", "open", "port"],
        address
      )
    }
  })

  const configured = (value: Record<string, string>) =>
    AddressPolicy.allowed.parse(ConfigProvider.fromEnv({ env: value })).pipe(
      Effect.map((networks) => networks.map(IpNetwork.format))
    )

  it.effect("reads the operator's list of CIDRs, empty by default, and names the variable at a fault", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* configured({}), [])
      assert.deepStrictEqual(yield* configured({ TIDINGS_OUTBOUND_ALLOW: "" }), [])
      assert.deepStrictEqual(yield* configured({ TIDINGS_OUTBOUND_ALLOW: "10.0.0.0/8, fd00::/8" }), [
        "10.0.0.0/8",
        "fd00::/8"
      ])
      for (const wrong of ["10.0.0.1/8", "10.0.0.0", "10.0.0.0/8,", "all"]) {
        assert.include(
          (yield* Effect.flip(configured({ TIDINGS_OUTBOUND_ALLOW: wrong }))).message,
          "TIDINGS_OUTBOUND_ALLOW"
        )
      }
    }))
})
