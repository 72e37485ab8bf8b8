import * as Endpoint from "#layers/providers/smtp/Endpoint.ts"
import { dial } from "#layers/providers/smtp/Dial.ts"
import { SmtpSettings } from "#layers/providers/smtp/Settings.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schema } from "effect"
import { Dns } from "effect/net"

const operators = Schema.decodeUnknownSync(SmtpSettings)({
  host: "mail.sender.test",
  port: 2525,
  ca: "of the operator",
  username: "us",
  password: "right",
  require_tls: false,
  from_address: "news@sender.test"
})
const own = Endpoint.fromSettings(operators)

const named = (config: Schema.Json) => Endpoint.fromOverride(own, { config })

const place = (settings: Partial<SmtpSettings>) => {
  const { port, requireTls, secure } = Endpoint.fromSettings({
    host: "mail.sender.test",
    from_address: "news@sender.test",
    ...settings
  })
  return [port, secure, requireTls]
}

describe("The mail server of a message", () => {
  it("is by default asked for at port 587 with STARTTLS, or at 465 with TLS, and on loopback without", () => {
    assert.deepStrictEqual(place({}), [587, false, true])
    assert.deepStrictEqual(place({ secure: true }), [465, true, true])
    assert.deepStrictEqual(place({ port: 465 }), [465, true, true])
    assert.deepStrictEqual(place({ port: 465, secure: false }), [465, false, true])
    assert.deepStrictEqual(place({ require_tls: false }), [587, false, false])
    for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "::1"])
      assert.deepStrictEqual(place({ host }), [587, false, false], host)
    for (const host of ["localhost.test", "127.0.0.1.test", "10.0.0.1"])
      assert.deepStrictEqual(place({ host }), [587, false, true], host)
  })

  it("is the operator's own, by whatever the message says the same, and with the message's login if it has one", () => {
    for (const config of [null, {}, { host: "MAIL.Sender.test" }, { port: "2525" }, { secure: false }, { auth: null }])
      assert.deepStrictEqual(named(config), Result.succeed(own), JSON.stringify(config))
    const login = { username: "them", password: Redacted.make("theirs") }
    assert.deepStrictEqual(named({ auth: { user: "them", pass: "theirs" } }), Result.succeed({ ...own, login }))
  })

  it("is another where name, port or encryption differ: guarded, encrypted, with nothing of the operator's trust", () => {
    for (const config of [{ host: "mail.other.test" }, { port: 25 }, { secure: true }, { host: "x.test", port: 465 }]) {
      const { ca, guarded, login, requireTls } = Result.getOrThrow(named(config))
      assert.deepStrictEqual(
        [ca, guarded, login, requireTls],
        [undefined, true, undefined, true],
        JSON.stringify(config)
      )
    }
  })

  it("has a name of its own wherever it is another, whose circuit and turns are not the operator's", () => {
    const open = Endpoint.fromSettings({ host: "mail.sender.test", port: 2525, from_address: "news@sender.test" })
    const all = [
      null,
      {},
      { auth: { user: "them", pass: "theirs" } },
      { host: "mail.other.test" },
      { port: 25 },
      { secure: true },
      { port: 2525, secure: true },
      { host: "MAIL.sender.test", secure: false }
    ]
    for (const [config, of] of all.flatMap((config) => [[config, own], [config, open]] as const)) {
      const isOwn = Result.getOrThrow(Endpoint.fromOverride(of, { config })) === of
      assert.strictEqual(Endpoint.otherServer(of, { config }) === undefined, isOwn, JSON.stringify(config))
    }
  })

  it("is none where the message says nothing that can be one", () => {
    for (
      const config of [
        "mail.other.test",
        { host: 1 },
        { host: "a b" },
        { host: "x.test\r\nMAIL" },
        ...[0, -1, 65_536, 1.5, "25x", "999999", true].map((port) => ({ port })),
        { secure: "yes" },
        { auth: { user: "them" } },
        { auth: { pass: "theirs" } },
        { auth: "them:theirs" }
      ]
    ) assert.isTrue(Result.isFailure(named(config)), JSON.stringify(config))
  })

  it.effect("is on a port of mail servers, if it is not the operator's and not in a network that the operator allowed", () =>
    Effect.gen(function*() {
      const guard = { dns: yield* Dns.Dns, allow: [] }
      for (const port of [22, 80, 443, 6379]) {
        const endpoint = Result.getOrThrow(named({ host: "1.1.1.1", port }))
        assert.deepInclude(yield* Effect.flip(dial(guard, endpoint)), {
          _tag: "Unfit",
          detail: `1.1.1.1: port ${port} is not a mail port`
        })
      }
    }).pipe(Effect.provide(Dns.layerStatic({}))))
})
