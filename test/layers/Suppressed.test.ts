import { Id } from "#schemas/Id.ts"
import * as Client from "#test/isolation/Client.ts"
import { cert } from "#test/layers/outbound/TestCertificate.ts"
import * as Posted from "#test/layers/providers/receipts/Posted.ts"
import * as CapturingSmtp from "#test/support/CapturingSmtp.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Served from "#test/support/Served.ts"
import * as Ports from "#test/support/Ports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schedule, Schema } from "effect"

const secret = "suppressedsuppressedsuppressed12"

const Made = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Id })))
const Sent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ requestId: Id })))
const Ended = Schema.decodeUnknownSync(Schema.fromJsonString(
  Schema.Struct({ status: Schema.String, reason: Schema.optionalKey(Schema.String) })
))

/** A server whose mail goes to a relay that knows nobody of a name with `gone`; `asked` are the addresses that it was asked for. */
const started = Effect.gen(function*() {
  const asked: Array<string> = []
  const relay = yield* CapturingSmtp.start({
    onRcptTo: ({ address }, _, done) => {
      asked.push(address)
      done(address.includes("gone") ? Object.assign(new Error("5.1.1 No such user"), { responseCode: 550 }) : null)
    }
  })
  const directory = yield* Directories.withDatabase
  const port = yield* Effect.promise(() => Ports.free())
  const server = yield* Served.at(port, {
    TIDINGS_DATA_DIR: directory,
    TIDINGS_DURABILITY: "process",
    TIDINGS_BOOTSTRAP_SECRET: secret
  })
  const ask = Client.make(port, `pk_prod_${secret}`)
  const made = (body: unknown) =>
    Effect.map(ask({ method: "POST", path: "/providers", body }), ({ body: text }) => Made(text).id)
  yield* made({
    provider: "smtp",
    alias: "relay",
    settings: { host: "127.0.0.1", port: relay.port, ca: cert, from_address: "shop@sender.test" }
  })
  const sendGrid = yield* made({
    provider: "sendgrid",
    settings: { api_key: "SG.x", from_address: "shop@sender.test", ...Posted.sendGridSettings }
  })
  /** Sends by the relay, and tells how it ended. */
  const send = Effect.fnUntraced(function*(email: string) {
    const { body: text } = yield* ask({
      method: "POST",
      path: "/send",
      body: {
        message: {
          to: { email },
          content: { title: "t", body: "b" },
          routing: { method: "single", channels: ["relay"] }
        }
      }
    })
    const { requestId } = Sent(text)
    const { reason, status } = yield* ask({ method: "GET", path: `/messages/${requestId}` }).pipe(
      Effect.map(({ body: text }) => Ended(text)),
      Effect.repeat({
        until: ({ status }) => status === "SENT" || status === "UNDELIVERABLE",
        schedule: Schedule.spaced("20 millis")
      })
    )
    return [status, reason]
  })
  /** SendGrid calls back. */
  const told = Effect.fnUntraced(function*(...events: ReadonlyArray<object>) {
    const { callback } = Posted.sendGridAt(yield* Clock.currentTimeMillis, events)
    return yield* Effect.promise(async () => {
      const url = `http://127.0.0.1:${port}/callbacks/${sendGrid}`
      const headers = Object.entries(callback.headers).map(([name, value]): [string, string] => [name, value ?? ""])
      const response = await fetch(url, { method: "POST", headers, body: new TextDecoder().decode(callback.body) })
      return response.status
    })
  })
  return { ask, asked, log: server.stdout, send, told }
})

const bounced = ["UNDELIVERABLE", "BOUNCED"]

describe("Suppressed addresses, of a whole server", () => {
  it.live(
    "a relay is asked once for an address that it refuses for good, until that is freed; and a vendor's word counts for all",
    () =>
      Effect.gen(function*() {
        const { ask, asked, log, send, told } = yield* started
        assert.deepStrictEqual(yield* send("gone@rcpt.test"), bounced)
        assert.deepStrictEqual(yield* send("Gone@RCPT.test"), bounced)
        assert.deepStrictEqual(asked, ["gone@rcpt.test"])
        assert.deepStrictEqual(yield* send("ada@rcpt.test"), ["SENT", undefined])
        const one = yield* ask({ method: "GET", path: "/suppressions/email/gone@rcpt.test" })
        assert.include(one.body, "\"reason\":\"BOUNCED\"")
        assert.include(one.body, "At rcpt: 550 5.1.1 No such user")
        const freed = yield* ask({ method: "DELETE", path: "/suppressions/email/gone@rcpt.test" })
        assert.strictEqual(freed.status, 204)
        assert.deepStrictEqual(yield* send("gone@rcpt.test"), bounced)
        assert.deepStrictEqual(asked, ["gone@rcpt.test", "ada@rcpt.test", "gone@rcpt.test"])

        const complaint = { event: "spamreport", email: "ADA@rcpt.test" }
        assert.strictEqual(yield* told(complaint, { event: "group_unsubscribe", email: "bob@rcpt.test" }), 200)
        assert.deepStrictEqual(yield* send("ada@rcpt.test"), ["UNDELIVERABLE", "UNSUBSCRIBED"])
        assert.deepStrictEqual(yield* send("bob@rcpt.test"), ["SENT", undefined])
        assert.strictEqual(asked.length, 4)

        const metrics = yield* ask({ method: "GET", path: "/metrics" })
        assert.match(metrics.body, /tidings_suppressed_channels_total\{[^}]*reason="BOUNCED"[^}]*\} 1\n/)
        assert.match(metrics.body, /tidings_suppressed_channels_total\{[^}]*reason="COMPLAINED"[^}]*\} 1\n/)
        assert.notMatch(log(), /rcpt\.test/, "P9")
      }).pipe(Effect.scoped),
    240_000
  )
})
