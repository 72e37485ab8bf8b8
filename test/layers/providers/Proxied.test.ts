import * as Proxy from "#layers/outbound/Proxy.ts"
import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import { configure, delivery, type Row } from "#test/contracts/VendorRow.ts"
import { allow } from "#test/layers/outbound/Call.ts"
import { cert } from "#test/layers/outbound/TestCertificate.ts"
import * as Rows from "#test/layers/providers/rows/All.ts"
import * as ConnectProxy from "#test/support/ConnectProxy.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"

const posted = (url: string, http2?: string): VendorHttp.VendorRequest => ({
  method: "POST",
  url,
  headers: {},
  body: "{}",
  http2
})

const through = (url: string, deadlineMs = 5_000, exempt: ReadonlyArray<string> = []) => {
  const proxy = Option.getOrThrow(Proxy.parse(url))
  return VendorHttp.make({ deadlineMs, allow, ca: cert, proxies: { https: proxy, http: proxy, exempt } })
}

const ok = { status: 200, body: "{}" }

/** A configuration that names no host itself: all that the vendor is asked goes to its own. */
const own = ({ entry, settings }: Row) =>
  configure(
    { entry },
    Object.fromEntries(Object.entries(settings).filter(([, value]) => !`${value}`.includes("{origin}")))
  )

describe("vendors by a proxy", () => {
  it.live.each([
    { secure: true, http2: false },
    { secure: true, http2: true },
    { secure: false, http2: false },
    { secure: false, http2: true }
  ])("are called in a tunnel, whose connections are used again: %o", ({ http2, secure }) =>
    Effect.gen(function*() {
      const vendor = yield* ScriptedVendor.listen({ http2, secure, script: () => ok })
      const proxy = yield* ConnectProxy.listen({ login: "us:pass" })
      const { line } = yield* through(proxy.url)
      for (let call = 0; call < 3; call++)
        yield* (yield* line).send(posted(`${vendor.origin}/x`, http2 ? "name" : undefined))
      assert.deepStrictEqual(
        vendor.seen.map(({ version }) => version),
        Array.from({ length: 3 }, () => http2 ? "2.0" : "1.1")
      )
      assert.isUndefined(vendor.seen[0]?.headers["proxy-authorization"])
      assert.deepStrictEqual([...new Set(proxy.asked)], [`127.0.0.1:${vendor.port}`])
      assert.isAtMost(proxy.asked.length, 2)
    }).pipe(Effect.scoped))

  it.live("a proxy of https: is spoken to over TLS, with the vendor's TLS in it", () =>
    Effect.gen(function*() {
      const proxy = yield* ConnectProxy.listen({ secure: true })
      const { line } = yield* through(proxy.url)
      for (const http2 of [false, true]) {
        const vendor = yield* ScriptedVendor.listen({ http2, secure: true, script: () => ok })
        assert.strictEqual((yield* (yield* line).send(posted(vendor.origin, http2 ? "name" : undefined))).status, 200)
      }
      assert.strictEqual(proxy.asked.length, 2)
    }).pipe(Effect.scoped))

  it.live("each vendor's own hosts are asked for by name, which perhaps the proxy alone can look up", () =>
    Effect.forEach(Rows.all, (row) =>
      Effect.gen(function*() {
        const proxy = yield* ConnectProxy.listen({ answer: "HTTP/1.1 403 Forbidden\r\n\r\n" })
        const vendor = yield* own(row).pipe(
          Effect.provideServiceEffect(VendorHttp.VendorHttp, through(proxy.url))
        )
        const failed = yield* Effect.flip(vendor.send(delivery(row)))
        const [asked = ""] = proxy.asked
        assert.match(asked, /^[a-z.0-9-]+\.[a-z]+:443$/, row.entry.key)
        assert.deepInclude(failed, { _tag: "Unavailable", detail: `${asked.slice(0, -4)}: the proxy answered 403` })
      }).pipe(Effect.scoped), { discard: true }))

  it.live("API7: a setting's host is judged before, and asked for by the address that was judged", () =>
    Effect.gen(function*() {
      const vendor = yield* ScriptedVendor.listen({ script: () => ok })
      const proxy = yield* ConnectProxy.listen()
      const line = yield* (yield* through(proxy.url)).line
      assert.strictEqual((yield* line.send(posted(`http://localhost:${vendor.port}/`))).status, 200)
      assert.deepStrictEqual(proxy.asked, [`127.0.0.1:${vendor.port}`])
      for (const url of ["https://169.254.169.254/", "https://10.0.0.1/", "http://8.8.8.8:8080/"]) {
        const refused = yield* Effect.flip(line.send(posted(url)))
        assert.strictEqual(refused._tag, "Misconfigured")
      }
      assert.strictEqual(proxy.asked.length, 1)
    }).pipe(Effect.scoped))

  it.live("a host of NO_PROXY is called directly", () =>
    Effect.gen(function*() {
      const vendor = yield* ScriptedVendor.listen({ script: () => ok })
      const line = yield* (yield* through("http://127.0.0.1:1", 5_000, ["127.0.0.0/8"])).line
      assert.strictEqual((yield* line.send(posted(vendor.origin))).status, 200)
    }).pipe(Effect.scoped))

  it.live.each(
    [
      [{ login: "another:one" }, "the proxy answered 407"],
      [{ answer: "HTTP/1.1 502 Bad Gateway\r\n\r\n" }, "the proxy answered 502"],
      [{ closes: true }, "the proxy closed the connection"]
    ] as const
  )(
    "P4, P9: where no tunnel opens nothing was sent, and the proxy is named, not its login: %o",
    ([options, words]) =>
      Effect.gen(function*() {
        const vendor = yield* ScriptedVendor.listen({ script: () => ok })
        const proxy = yield* ConnectProxy.listen(options)
        const { line } = yield* through(`http://us:canary@127.0.0.1:${proxy.port}`)
        const calls = yield* Effect.forEach(
          [undefined, "name"],
          (http2) => Effect.flatMap(line, (_) => Effect.flip(_.send(posted(vendor.origin, http2))))
        )
        for (const failed of calls)
          assert.deepInclude(failed, { _tag: "Unavailable", detail: `127.0.0.1:${vendor.port}: ${words}` })
        assert.deepStrictEqual(vendor.seen, [])
      }).pipe(Effect.scoped)
  )

  it.live("P4: the deadline passes before a silent proxy's answer, and nothing was sent", () =>
    Effect.gen(function*() {
      const proxy = yield* ConnectProxy.listen({ answer: "" })
      const line = yield* (yield* through(proxy.url, 300)).line
      assert.strictEqual((yield* Effect.flip(line.send(posted("https://api.sendgrid.com/"))))._tag, "Unavailable")
    }).pipe(Effect.scoped))

  it.live("P4: what is cut off within the tunnel is unknown", () =>
    Effect.gen(function*() {
      const vendor = yield* ScriptedVendor.listen({ script: () => ({ reset: "after" }) })
      const proxy = yield* ConnectProxy.listen()
      const line = yield* (yield* through(proxy.url)).line
      assert.strictEqual((yield* Effect.flip(line.send(posted(vendor.origin))))._tag, "Unknown")
    }).pipe(Effect.scoped))
})
