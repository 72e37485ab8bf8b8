import * as Proxy from "#layers/outbound/Proxy.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"

const proxies = (variables: Readonly<Record<string, string>>) =>
  Effect.orDie(Proxy.proxies.parse(ConfigProvider.fromEnvRecord(variables)))

const secure = (host: string, port = 443) => ({ host, port, secure: true })

/** Whether a host goes by a proxy that all hosts but these go by. */
const isProxied = (except: string, host: string, port?: number) =>
  Effect.map(
    proxies({ HTTPS_PROXY: "http://proxy.test:3128", NO_PROXY: except }),
    (all) => Proxy.via(all, secure(host, port)) !== undefined
  )

describe("the proxies of the standard variables", () => {
  it("a URL names a proxy, and so do a host and a port alone", () => {
    const read = (text: string) =>
      Option.match(Proxy.parse(text), {
        onNone: () => undefined,
        onSome: ({ host, login, port, secure }) => [
          host,
          port,
          secure,
          login === undefined ? undefined : atob(Redacted.value(login).slice("Basic ".length))
        ]
      })
    assert.deepStrictEqual(read("http://proxy.test:3128"), ["proxy.test", 3128, false, undefined])
    assert.deepStrictEqual(read("proxy.test:3128"), ["proxy.test", 3128, false, undefined])
    assert.deepStrictEqual(read("https://proxy.test/"), ["proxy.test", 443, true, undefined])
    assert.deepStrictEqual(read("http://[fd00::1]"), ["fd00::1", 80, false, undefined])
    assert.deepStrictEqual(read("http://us%40er:p%2F%3Ass@proxy.test"), ["proxy.test", 80, false, "us@er:p/:ss"])
    assert.deepStrictEqual(read("us:pa@proxy.test:8080"), ["proxy.test", 8080, false, "us:pa"])
    assert.deepStrictEqual(read("token@proxy.test:8080"), ["proxy.test", 8080, false, "token:"])
    assert.deepStrictEqual(read("http://:word@proxy.test"), ["proxy.test", 80, false, ":word"])
    for (
      const wrong of [
        "",
        "http://",
        "socks5://proxy.test",
        "ftp://proxy.test/",
        "http://u:p%zz@proxy.test",
        "http://u:p#w@proxy.test",
        "http://u:1#w@proxy.test",
        "http://u:1?w@proxy.test",
        "http://u:p/w@proxy.test",
        "http://proxy.test/path"
      ]
    ) assert.isUndefined(read(wrong), wrong)
  })

  it.effect("each scheme has its own, small letters come first, and an empty one is none", () =>
    Effect.gen(function*() {
      const all = yield* proxies({ HTTPS_PROXY: "a.test", https_proxy: "b.test", http_proxy: "", HTTP_PROXY: "c.test" })
      assert.strictEqual(Proxy.via(all, secure("x.test"))?.host, "b.test")
      assert.strictEqual(Proxy.via(all, { host: "x.test", port: 80, secure: false })?.host, "c.test")
      assert.deepStrictEqual(yield* proxies({}), Proxy.none)
    }))

  it.effect("P9: the operator reads which proxies there are, without their logins", () =>
    Effect.gen(function*() {
      const variables = { HTTPS_PROXY: "http://us:canary@a.test:3128", HTTP_PROXY: "b.test", NO_PROXY: "c.test" }
      assert.strictEqual(
        Proxy.named(yield* proxies(variables)),
        "https: by a.test:3128, http: by b.test:80, but for the hosts of NO_PROXY"
      )
      assert.isUndefined(Proxy.named(yield* proxies({ NO_PROXY: "c.test" })))
    }))

  it.effect("entries of NO_PROXY that are of no host are told, without logins, where there is a proxy to be exempt of", () =>
    Effect.gen(function*() {
      const read = ["localhost", ".corp.test", "*.wild.test", "gw.test:8443", "10.0.0.0/8", "192.0.2.7:443", "*"]
      const alsoRead = ["[fd00::1]:443", "fd00::/8", "::1", "node_1", "xn--mnchen-3ya.test", "a.test."]
      const unread = ["http://a.test", "10.0.*", "api.*.test", "*corp.test", "münchen.test", "10.0.0.0/33", "a.test/b"]
      const alsoUnread = ["a.test:https", "fe80::1%eth0", ".", "*.", "192.168", "10.", ".10.0.0:443"]
      const all = [...read, ...unread, ...alsoRead, ...alsoUnread]
      const NO_PROXY = `${all.join(",")} http://us:canary@b.test`
      const told = Proxy.idle(yield* proxies({ HTTP_PROXY: "proxy.test:3128", NO_PROXY }))
      assert.deepStrictEqual(told, [...unread, ...alsoUnread, "…@b.test"])
      assert.deepStrictEqual(Proxy.idle(yield* proxies({ NO_PROXY })), [])
      for (const host of ["a.test", "api.eu.test", "10.0.0.1", "192.168.0.1", "mycorp.test"])
        assert.isTrue(yield* isProxied([...unread, ...alsoUnread].join(","), host), host)
    }))

  it.effect("NO_PROXY names hosts with all below them, addresses and networks, for one port or all", () =>
    Effect.gen(function*() {
      const list = "localhost, .Corp.test,*.wild.test gw.test:8443,10.0.0.0/8,192.0.2.7,[fd00::1]:443,fe80::/10"
      const direct = [
        ["localhost", 443],
        ["corp.test", 443],
        ["Deep.Corp.test", 80],
        ["a.wild.test", 443],
        ["gw.test", 8443],
        ["a.gw.test", 8443],
        ["10.1.2.3", 443],
        ["192.0.2.7", 443],
        ["fd00::1", 443],
        ["fe80::1", 443]
      ] as const
      const proxied = [
        ["notcorp.test", 443],
        ["gw.test", 443],
        ["192.0.2.70", 443],
        ["11.1.2.3", 443],
        ["fd00::1", 8443],
        ["fd00::2", 443],
        ["10.0.0.0.test", 443],
        ["api.example.com", 443]
      ] as const
      for (const [host, port] of direct) assert.isFalse(yield* isProxied(list, host, port), host)
      for (const [host, port] of proxied) assert.isTrue(yield* isProxied(list, host, port), host)
      // As other programs read them: a network by any address in it, and an address in any spelling.
      assert.isFalse(yield* isProxied("10.9.8.7/8", "10.1.2.3"))
      assert.isTrue(yield* isProxied("10.9.8.7/8", "11.1.2.3"))
      assert.isFalse(yield* isProxied("0:0:0:0:0:0:0:1,FD00:0::2", "::1"))
      assert.isFalse(yield* isProxied("0:0:0:0:0:0:0:1,FD00:0::2", "fd00::2"))
      for (const none of ["10.0.0.0/", "10.0.0.0/33", "10.0.0.0/x", "/8"]) {
        assert.isTrue(yield* isProxied(none, "10.0.0.0"), none)
      }
      assert.isFalse(yield* isProxied("*", "api.example.com"))
      assert.isTrue(yield* isProxied("", "api.example.com"))
    }))
})
