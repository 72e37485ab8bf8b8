import { Id } from "#schemas/Id.ts"
import * as Client from "#test/isolation/Client.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import * as Served from "#test/support/Served.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"

const secret = "trackedtrackedtrackedtrackedtracked"
const page = "https://shop.example/orders/17?a=b&c=%2F#top"
const utm = "utm_source=tidings&utm_campaign=spring"

const Sent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ requestId: Id })))
const Message = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ status: Schema.String, clicked: Schema.optionalKey(Schema.Number) }))
)

const elements = [
  { type: "text", content: `[Here](${page}) or [unsubscribe]({{urls.unsubscribe}})` },
  { type: "action", content: "Track it", href: page },
  { type: "action", content: "Quietly", href: page, disable_tracking: true },
  { type: "html", content: `<p><a href="mailto:shop@sender.test">Write</a> <a href='${page}'>There</a></p>` }
]

const Mail = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ HtmlBody: Schema.String, TextBody: Schema.String }))
)

/** An embedded server whose mails go to a vendor on this machine. */
const started = Effect.fnUntraced(function*(env: Readonly<Record<string, string>>) {
  const vendor = yield* ScriptedVendor.listen({
    script: () => ({ status: 200, body: "{\"ErrorCode\":0,\"Message\":\"OK\",\"MessageID\":\"one\"}" })
  })
  const directory = yield* Directories.withDatabase
  const port = yield* Effect.promise(() => Ports.free())
  const origin = `http://127.0.0.1:${port}`
  const server = yield* Served.at(port, {
    TIDINGS_DATA_DIR: directory,
    TIDINGS_DURABILITY: "process",
    TIDINGS_BOOTSTRAP_SECRET: secret,
    TIDINGS_PUBLIC_URL: origin,
    TIDINGS_OUTBOUND_ALLOW: "127.0.0.0/8",
    ...env
  })
  const ask = Client.make(port, `pk_prod_${secret}`)
  const settings = { server_token: "token", base_url: vendor.origin, from_address: "shop@sender.test" }
  yield* ask({ method: "POST", path: "/providers", body: { provider: "postmark", settings } })
  const statusOf = (id: string) =>
    Effect.map(ask({ method: "GET", path: `/messages/${id}` }), ({ body }) => Message(body))
  /** Sends, and tells how the HTML of the mail has its links. */
  const send = Effect.fnUntraced(function*(more: object = {}) {
    const message = {
      to: { user_id: "ada", email: "ada@rcpt.test" },
      content: { version: "2022-01-01", elements: [{ type: "meta", title: "Hello" }, ...elements] },
      routing: { method: "single", channels: ["email"] },
      ...more
    }
    const { requestId } = Sent((yield* ask({ method: "POST", path: "/send", body: { message } })).body)
    yield* Effect.repeat(statusOf(requestId), {
      until: ({ status }) => status === "SENT",
      schedule: Schedule.spaced("20 millis")
    })
    const { HtmlBody: html, TextBody: text } = Mail(vendor.seen.at(-1)?.body)
    const links = [...html.matchAll(/<a [^>]*href=["']([^"']*)/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"))
    const [picture] = /<img[^>]* src="([^"]*\/t\/open\/[^"]*)"/.exec(html)?.slice(1) ?? []
    return { id: requestId, links, picture, text }
  })
  /** What a reader's browser does. */
  const follow = (url: string, method = "GET") =>
    Effect.promise(async () => {
      const response = await fetch(url, { method, redirect: "manual" })
      await response.text()
      return [response.status, response.headers.get("location")] as const
    })
  return { ask, follow, log: server.stdout, origin, send, statusOf }
})

describe("What mails tell of their readers, of a whole server", () => {
  it.live(
    "clicks and openings, where the operator wants to hear of them; links lead where they did",
    () =>
      Effect.gen(function*() {
        const { ask, follow, log, origin, send, statusOf } = yield* started({ TIDINGS_TRACKING: "clicks, opens" })
        const { id, links, picture = "", text } = yield* send({
          metadata: { utm: { source: "tidings", campaign: "spring" } }
        })
        const [here = "", stop = "", button = "", quietly, mailto, there = ""] = links
        const campaign = page.replace("#", `&${utm}#`)
        for (const link of [here, button, there]) {
          assert.isTrue(link.startsWith(`${origin}/t/click/${id}.`), link)
          assert.deepStrictEqual(yield* follow(link, "HEAD"), [302, campaign])
        }
        assert.isTrue(stop.startsWith(`${origin}/t/preferences/`))
        assert.deepStrictEqual([quietly, mailto], [campaign, "mailto:shop@sender.test"])
        assert.include(text, page)
        assert.strictEqual((yield* statusOf(id)).status, "SENT", "nobody has followed a link")

        assert.strictEqual((yield* follow(picture))[0], 200)
        assert.strictEqual((yield* statusOf(id)).status, "OPENED")
        assert.deepStrictEqual(yield* follow(there), [302, campaign])
        const clicked = yield* statusOf(id)
        assert.strictEqual(clicked.status, "CLICKED")
        yield* follow(here)
        assert.deepStrictEqual(yield* statusOf(id), clicked, "once")
        const { body: history } = yield* ask({ method: "GET", path: `/messages/${id}/history` })
        const of = "\"channel\":{\"id\":\"email\"},\"integration\":{\"id\":\"postmark\",\"provider\":\"postmark\"}"
        for (const type of ["OPENED", "CLICKED"]) {
          assert.match(history, new RegExp(`"type":"${type}","ts":\\d+,${of}`))
        }
        const { body: output } = yield* ask({ method: "GET", path: `/messages/${id}/output` })
        assert.notInclude(output, "/t/click/", "what was said is shown as it was")
        assert.strictEqual((yield* follow(there.slice(0, -1)))[0], 404)
        assert.notInclude(log(), "shop.example", "P9")
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "nothing where the operator does not; campaigns are in the links all the same",
    () =>
      Effect.gen(function*() {
        const { send } = yield* started({})
        const plain = yield* send()
        assert.deepStrictEqual(plain.links.filter((link) => link === page).length, 4)
        assert.isUndefined(plain.picture)
        const { links } = yield* send({
          metadata: { utm: { source: "all", campaign: "spring" } },
          channels: { email: { metadata: { utm: { source: "mail" } } } },
          providers: { postmark: { metadata: { utm: { source: "tidings" } } } }
        })
        assert.strictEqual(links.filter((link) => link === page.replace("#", `&${utm}#`)).length, 4)
      }).pipe(Effect.scoped),
    60_000
  )
})
