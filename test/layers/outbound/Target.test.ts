import * as Target from "#layers/outbound/Target.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Host, NetAddress } from "effect/net"

const read = (url: string) => Target.fromRequest({ method: "GET", url, headers: {}, deadlineMs: 1 })

describe("Outbound target", () => {
  it.effect("is where its URL says, at the scheme's own port where it names none", () =>
    Effect.gen(function*() {
      const found = yield* Effect.forEach([
        "http://hooks.test",
        "https://hooks.test/a?b=c#d",
        "http://hooks.test:443/",
        "https://hooks.test:443/",
        "HTTPS://Hooks.TEST:8443/%20",
        "http://[2606:4700::1111]:80/"
      ], read)
      assert.deepStrictEqual(
        found.map(({ host, ...rest }) => ({
          ...rest,
          host: NetAddress.isIpAddress(host) ? NetAddress.formatIp(host) : Host.toRelative(host)
        })),
        [
          { host: "hooks.test", port: 80, secure: false, authority: "hooks.test", path: "/" },
          { host: "hooks.test", port: 443, secure: true, authority: "hooks.test", path: "/a?b=c" },
          { host: "hooks.test", port: 443, secure: false, authority: "hooks.test:443", path: "/" },
          { host: "hooks.test", port: 443, secure: true, authority: "hooks.test", path: "/" },
          { host: "hooks.test", port: 8443, secure: true, authority: "hooks.test:8443", path: "/%20" },
          { host: "2606:4700::1111", port: 80, secure: false, authority: "[2606:4700::1111]", path: "/" }
        ]
      )
    }))

  it.effect("a host that is neither a name nor an address is refused before any look-up", () =>
    Effect.gen(function*() {
      for (const host of [`${"a".repeat(64)}.test`, `${"a.".repeat(200)}test`, "a..test", "-", "a_b!.test"]) {
        const refused = yield* Effect.flip(read(`https://${host}/`))
        assert.deepStrictEqual([refused._tag, refused.reason], ["OutboundRefused", "url"], host)
      }
    }))
})
