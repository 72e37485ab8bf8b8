import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import { Id } from "#schemas/Id.ts"
import * as Client from "#test/isolation/Client.ts"
import { cert } from "#test/layers/outbound/TestCertificate.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as CapturingSmtp from "#test/support/CapturingSmtp.ts"
import * as Served from "#test/support/Served.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule, Schema } from "effect"
import { dkimVerify } from "mailauth"
import { generateKeyPairSync } from "node:crypto"

const secret = "oneclickoneclickoneclickoneclickoneclick"
const keys = generateKeyPairSync("ed25519")
const published = keys.publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64")

const Made = Schema.fromJsonString(Schema.Struct({ id: Id }))
const Sent = Schema.fromJsonString(Schema.Struct({ requestId: Id }))
const Message = Schema.fromJsonString(
  Schema.Struct({ status: Schema.String, reason: Schema.optionalKey(Schema.String) })
)

/** The whole product, with a mail server of another maker behind it, and the catalogue of a shop. */
const started = Effect.gen(function*() {
  const mails = yield* CapturingSmtp.start()
  const database = yield* FreshDatabase.url
  const directory = yield* Directories.empty
  const [port, clusterPort] = yield* Effect.promise(() => Promise.all([Ports.free(), Ports.free()]))
  const origin = `http://127.0.0.1:${port}`
  yield* Served.at(port, {
    DATABASE_URL: Redacted.value(database),
    TIDINGS_CLUSTER_PORT: String(clusterPort),
    TIDINGS_DATA_DIR: directory,
    TIDINGS_BOOTSTRAP_SECRET: secret,
    TIDINGS_PUBLIC_URL: origin
  })
  const ask = Client.make(port, `pk_prod_${secret}`)
  const call = (method: string, path: string, body?: unknown) =>
    Effect.map(ask({ method, path, body }), (reply) => {
      assert.isBelow(reply.status, 300, `${method} ${path}: ${reply.body}`)
      return reply
    })
  const made = (path: string, body: unknown) =>
    Effect.map(call("POST", path, body), ({ body: text }) => Schema.decodeUnknownSync(Made)(text).id)

  yield* call("POST", "/providers", {
    provider: "smtp",
    settings: {
      host: "127.0.0.1",
      port: mails.port,
      ca: cert,
      from_address: "shop@sender.test",
      dkim: {
        domain: "sender.test",
        selector: "s1",
        private_key: keys.privateKey.export({ type: "pkcs8", format: "pem" })
      }
    }
  })
  yield* call("POST", "/brands", {
    name: "Shop",
    settings: { email: { footer: { markdown: "[Stop]({{urls.unsubscribe}}) [Choose]({{urls.preferences}})" } } }
  })
  yield* call("PUT", "/profiles/ada", { profile: { email: "ada@rcpt.test" } })
  yield* call("PUT", "/tenants/acme", { name: "Acme" })
  const section = yield* made("/preferences/sections", { name: "Mail" })
  const topic = (name: string, status: string, hasHeader: boolean) =>
    made(`/preferences/sections/${section}/topics`, {
      name,
      default_status: status,
      include_unsubscribe_header: hasHeader
    })
  const topics = {
    news: yield* topic("News", "OPTED_IN", true),
    quiet: yield* topic("Quiet", "OPTED_IN", false),
    bills: yield* topic("Bills", "REQUIRED", true)
  }

  /** Sends, and waits for the end. */
  const send = Effect.fnUntraced(
    function*(topicId: string | undefined, more: object = {}, to: object = { user_id: "ada" }) {
      const { body: text } = yield* call("POST", "/send", {
        message: {
          to,
          content: { title: "Hello", body: "{{urls.unsubscribe}} {{unsubscribeTrackingId}}" },
          ...(topicId === undefined ? {} : { preferences: { subscription_topic_id: topicId } }),
          routing: { method: "single", channels: ["email"] },
          ...more
        }
      })
      const { requestId } = Schema.decodeUnknownSync(Sent)(text)
      return yield* ask({ method: "GET", path: `/messages/${requestId}` }).pipe(
        Effect.map(({ body: text }) => Schema.decodeUnknownSync(Message)(text)),
        Effect.repeat({
          until: ({ status }) => status === "SENT" || status === "UNDELIVERABLE",
          schedule: Schedule.spaced("20 millis")
        })
      )
    }
  )
  const last = () => mails.taken.at(-1)?.raw ?? ""
  return { call, send, last, topics, ask, origin, mails }
})

const verified = (raw: string) =>
  Effect.promise(() =>
    dkimVerify(Buffer.from(raw, "latin1"), {
      resolver: async (name) => name === "s1._domainkey.sender.test" ? [[`v=DKIM1; k=ed25519; p=${published}`]] : []
    })
  ).pipe(Effect.map(({ results: [first] }) => first?.status.result))

/** What a mail client does, which has no session and knows nothing but the header. */
const oneClick = (raw: string) =>
  Effect.promise(async () => {
    const url = /^<(.*)>$/.exec(CapturingSmtp.header(raw, "List-Unsubscribe") ?? "")?.[1] ?? ""
    const response = await fetch(url, { method: "POST", body: new URLSearchParams("List-Unsubscribe=One-Click") })
    await response.text()
    return response.status
  })

const plain = (raw: string): string => raw.replaceAll("=\r\n", "").replaceAll("=3D", "=")

const sent = { status: "SENT" }
const unsubscribed = { status: "UNDELIVERABLE", reason: "UNSUBSCRIBED" }

describe("List-Unsubscribe (RFC 8058)", () => {
  it.live(
    "the header of a mail opts out of its topic with one click, in its tenant, and of nothing else",
    () =>
      Effect.gen(function*() {
        const { ask, call, last, mails, origin, send, topics } = yield* started
        assert.deepStrictEqual(yield* send(topics.news), sent)
        const mail = last()
        const header = CapturingSmtp.header(mail, "List-Unsubscribe") ?? ""
        assert.match(header, new RegExp(`^<${origin}/t/unsubscribe/[\\w-]+>$`))
        assert.strictEqual(CapturingSmtp.header(mail, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")
        assert.strictEqual(yield* verified(mail), "pass")
        const signed = (CapturingSmtp.header(mail, "DKIM-Signature") ?? "").replaceAll(" ", "")
        assert.match(signed, /[:=]list-unsubscribe:(.*:)?list-unsubscribe-post/i)
        assert.notStrictEqual(yield* verified(mail.replace("One-Click", "Two-Clicks")), "pass")
        // The same link in the words of the mail, and in the brand's footer.
        const url = header.slice(1, -1)
        assert.include(plain(mail), `${url} ${url.split("/").at(-1)}`)
        assert.include(plain(mail), `href="${url}"`)
        assert.match(plain(mail), new RegExp(`href="${origin}/t/preferences/[\\w-]+"`))

        yield* Effect.promise(() => fetch(url).then((page) => page.text()))
        assert.deepStrictEqual(yield* send(topics.news), sent)
        const inTenant = { context: { tenant_id: "acme" } }
        assert.deepStrictEqual(yield* send(topics.news, inTenant), sent)
        assert.deepStrictEqual([yield* oneClick(last()), yield* oneClick(last())], [200, 200])
        assert.deepStrictEqual(yield* send(topics.news, inTenant), unsubscribed)
        assert.deepStrictEqual(yield* send(topics.news), sent)
        assert.deepStrictEqual(yield* oneClick(mail), 200)
        assert.deepStrictEqual(yield* send(topics.news), unsubscribed)

        // Where nobody names the tenant, the word outlives it: in a second tenant, and in none.
        yield* call("PUT", "/profiles/eve", { profile: { email: "eve@rcpt.test" } })
        yield* call("PUT", "/tenants/other", { name: "Other" })
        yield* call("PUT", "/users/eve/tenants/acme", {})
        const eve = () => send(topics.news, {}, { user_id: "eve" })
        assert.deepStrictEqual([yield* eve(), yield* oneClick(last())], [sent, 200])
        assert.deepStrictEqual(yield* eve(), unsubscribed)
        yield* call("PUT", "/users/eve/tenants/other", {})
        assert.deepStrictEqual(yield* eve(), unsubscribed)
        yield* call("DELETE", "/users/eve/tenants")
        assert.deepStrictEqual(yield* eve(), unsubscribed)

        for (const topicId of [topics.bills, topics.quiet, undefined]) {
          assert.deepStrictEqual(yield* send(topicId), sent)
          assert.isUndefined(CapturingSmtp.header(last(), "List-Unsubscribe"))
        }
        const { body: text } = yield* call("GET", "/users/ada/preferences")
        assert.include(text, `"topic_id":"${topics.news}"`)
        const test = yield* Client.make(Number(new URL(origin).port), `pk_test_${secret}`)({
          method: "GET",
          path: "/users/ada/preferences"
        })
        assert.include(test.body, "\"items\":[]")

        // Who is no user has no preferences.
        assert.deepStrictEqual(yield* send(topics.news, {}, { email: "bob@rcpt.test" }), sent)
        assert.isUndefined(CapturingSmtp.header(last(), "List-Unsubscribe"))
        assert.notInclude(last(), "/t/unsubscribe")

        // Of a rehearsal nobody can opt anybody out.
        const count = mails.taken.length
        const dry = yield* Effect.promise(() =>
          fetch(`${origin}/send`, {
            method: "POST",
            headers: {
              authorization: `Bearer pk_prod_${secret}`,
              "content-type": "application/json",
              "tidings-dry-run": "true"
            },
            body: JSON.stringify({
              message: {
                to: { user_id: "ada" },
                content: { title: "t", body: "{{urls.unsubscribe}}" },
                preferences: { subscription_topic_id: topics.quiet }
              }
            })
          }).then((answer) => answer.text())
        )
        assert.include(dry, `${origin}/t/unsubscribe/preview`)
        assert.strictEqual((yield* ask({ method: "POST", path: "/t/unsubscribe/preview" })).status, 404)
        assert.strictEqual(mails.taken.length, count)
      }).pipe(Effect.scoped),
    240_000
  )
})
