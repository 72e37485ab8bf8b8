import * as Client from "#layers/outbound/Outbound.ts"
import type { OutboundRequest } from "#src/delivery/Outbound.ts"
import * as RawServer from "#test/layers/outbound/RawServer.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Dns, IpNetwork, NetAddress } from "effect/net"

const canary = RawServer.listen(RawServer.reply("200 OK", "reached"))

/** Answers every name from one list after the other, the last for good. */
const resolver = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const left = [...answers]
  return Dns.make({
    lookup: () =>
      Effect.sync(() => ((left.length > 1 ? left.shift() : left[0]) ?? []).map(NetAddress.ipFromStringUnsafe))
  })
}

const client = (dns: Dns.Dns["Service"], ...allow: ReadonlyArray<string>) =>
  Client.make({ allow: allow.map(IpNetwork.fromStringUnsafe) }).pipe(Effect.provideService(Dns.Dns, dns))

const get = (url: string, headers: Record<string, string> = {}): OutboundRequest => ({
  method: "GET",
  url,
  headers,
  deadlineMs: 2000
})

const insideHosts = [
  [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7F.0.0.0x1"
  ],
  ["0177.0.0.1", "0177.0.0.01", "017700000001", "00000177.1", "0", "0.0.0.0", "0x0", "127。0。0。1", "127．0．0．1"],
  ["①②⑦.⓪.⓪.①", "１２７.０.０.１", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "127.0.0.1\t", "\t127.0.0.1", "1\n27.0.0.1"],
  ["localhost", "LOCALHOST", "localhost.", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "%6cocalhost", "127.0.0.1.nip.io", "spoofed.example", "x.test"],
  ["[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"],
  [
    "[::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]"
  ],
  ["[::ffff:0:127.0.0.1]", "[fe80::1]", "[fe80::1%25lo]", "[::1%25lo]", "[fec0::1]", "[fd00:ec2::254]", "[ff02::1]"],
  ["x.test@127.0.0.1", "127.0.0.1\\@x.test", "x.test:80@127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.0.1"],
  ["169.254.169.254", "0xa9fea9fe", "100.100.100.200", "168.63.129.16", "192.0.0.192"]
].flat()

describe("Outbound guard", () => {
  it.live("reaches no loopback listener by any spelling of its address", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* canary
      assert.isAbove(insideHosts.length, 60)
      const urls = insideHosts.flatMap((
        host
      ) => [`http://${host}:${port}/?token=s3cret`, `https://${host}:${port}/s3cret`])
      const tricks = [
        `http:127.0.0.1:${port}`,
        `http:\\\\127.0.0.1:${port}`,
        `http:///127.0.0.1:${port}/`,
        `//127.0.0.1:${port}`
      ]
      const others = [
        `ftp://127.0.0.1:${port}/`,
        `file:///etc/passwd`,
        `gopher://127.0.0.1:${port}/_GET`,
        `data:,x`,
        "",
        "x"
      ]
      const outbound = yield* client(resolver(["127.0.0.1"]))
      const guarded = yield* client(resolver(["::1", "127.0.0.1", "10.0.0.1"]))
      for (const url of [...urls, ...tricks, ...others]) {
        for (const one of [outbound, guarded]) {
          const error = yield* Effect.flip(one.request(get(url)))
          assert.strictEqual(error._tag, "OutboundRefused", url)
          assert.notInclude(JSON.stringify(error), "s3cret")
          if (error._tag === "OutboundRefused") {
            assert.include(["url", "scheme", "credentials", "address"], error.reason, url)
          }
        }
      }
      assert.deepStrictEqual(seen, { connections: [], received: "" })
      const allowed = yield* client(resolver(["127.0.0.1"]), "127.0.0.0/8")
      assert.strictEqual((yield* allowed.request(get(`http://x.test:${port}/`))).body, "reached")
    }).pipe(Effect.scoped))

  it.live("judges every request anew when a name flips between look-ups", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* canary
      const flips = Array.from({ length: 20 }, (_, index) => [index % 2 === 0 ? "127.0.0.2" : "127.0.0.1"])
      const outbound = yield* client(resolver(...flips), "127.0.0.2/32")
      const outcomes = yield* Effect.forEach(flips, () =>
        Effect.result(outbound.request(get(`http://flip.test:${port}/`))))
      assert.deepStrictEqual(
        outcomes.map(Result.isSuccess),
        flips.map(([address]) =>
          address === "127.0.0.2"
        )
      )
      assert.deepStrictEqual(seen.connections, Array.from({ length: 10 }, () => "127.0.0.2"))
    }).pipe(Effect.scoped))

  it.live("dials only the permitted ones of a name's addresses", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* canary
      const outbound = yield* client(resolver(["::1", "127.0.0.1", "127.0.0.2", "10.0.0.1"]), "127.0.0.2/32")
      yield* outbound.request(get(`http://mixed.test:${port}/`))
      assert.deepStrictEqual(seen.connections, ["127.0.0.2"])
    }).pipe(Effect.scoped))

  it.live("writes no byte to a peer that is not the address it dialled", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* canary
      // The kernel turns 0.0.0.0 into 127.0.0.1, which nobody allowed.
      const outbound = yield* client(resolver(["0.0.0.0"]), "0.0.0.0/32")
      for (const url of [`http://0.0.0.0:${port}/`, `https://0.0.0.0:${port}/`, `http://zero.test:${port}/`]) {
        const error = yield* Effect.flip(outbound.request(get(url)))
        assert.deepInclude(error, { _tag: "OutboundRefused", reason: "address" })
      }
      assert.strictEqual(seen.received, "")
    }).pipe(Effect.scoped))

  it.live("returns a redirect and does not follow it", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* canary
      for (const status of [301, 302, 303, 307, 308]) {
        const location = `http://127.0.0.1:${port}/`
        const away = yield* RawServer.listen(
          RawServer.reply(`${status} Away\r\nLocation: ${location}\r\nContent-Length: 0`)
        )
        const outbound = yield* client(resolver([]), "127.0.0.0/8")
        const answer = yield* outbound.request(get(`http://127.0.0.1:${away.port}/`))
        assert.deepStrictEqual([answer.status, answer.headers["location"]], [status, location])
      }
      assert.deepStrictEqual(seen.connections, [])
    }).pipe(Effect.scoped))

  it.live("refuses schemes, credentials, framing headers and broken header values before it connects", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* canary
      const outbound = yield* client(resolver(["127.0.0.1"]), "127.0.0.0/8")
      const refusal = (request: OutboundRequest) =>
        Effect.map(
          Effect.flip(outbound.request(request)),
          (error) => error._tag === "OutboundRefused" ? error.reason : error._tag
        )
      for (const url of [`http://user@127.0.0.1:${port}/`, `http://:s3cret@127.0.0.1:${port}/`]) {
        assert.strictEqual(yield* refusal(get(url)), "credentials")
      }
      for (const scheme of ["ftp", "ws", "wss", "gopher", "unix"]) {
        assert.strictEqual(yield* refusal(get(`${scheme}://127.0.0.1:${port}/`)), "scheme")
      }
      const framing = [
        "Host",
        "content-length",
        "Transfer-Encoding",
        "connection",
        "Expect",
        "upgrade",
        "TE",
        "trailer"
      ]
      const ofProxies = ["Proxy-Authorization", "proxy-connection", "Keep-Alive", "HTTP2-Settings"]
      const headers = [...framing, ...ofProxies, "bad name", ""]
      for (const name of headers) {
        assert.strictEqual(yield* refusal(get(`http://127.0.0.1:${port}/`, { [name]: "1" })), "header", name)
      }
      for (const value of ["a\r\nx-evil: 1", "a\nb", "a\0b", "naïve ☃"]) {
        assert.strictEqual(yield* refusal(get(`http://127.0.0.1:${port}/`, { "x-note": value })), "header")
      }
      assert.deepStrictEqual(seen.connections, [])
    }).pipe(Effect.scoped))

  it.live("refuses other ports than 80 and 443 of an address that is only public", () =>
    Effect.gen(function*() {
      const outbound = yield* client(resolver(["93.184.215.14"]))
      for (const url of ["http://public.test:8080/", "http://1.1.1.1:22/", "https://[2606:4700::1111]:8443/"]) {
        assert.deepInclude(yield* Effect.flip(outbound.request(get(url))), { _tag: "OutboundRefused", reason: "port" })
      }
    }))
})
