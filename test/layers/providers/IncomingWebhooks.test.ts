import * as VendorHosts from "#layers/outbound/VendorHosts.ts"
import * as IncomingWebhook from "#layers/providers/IncomingWebhook.ts"
import { conforms } from "#test/contracts/Vendor.ts"
import { configure, outcomeOf, rendered, send, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import * as Webhooks from "#test/layers/providers/rows/Webhooks.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const rows = [Webhooks.slack, Webhooks.msTeams]
rows.forEach(conforms)

/** URLs of the row's platform, and of others. */
const slack = (url: string) => ({ slack: { incoming_webhook: { url } } })
const teams = (url: string) => ({ ms_teams: { webhook_url: url } })

describe("incoming webhooks", () => {
  it.live("are of the platform's own hosts, over TLS; to others nothing is sent", () =>
    Effect.gen(function*() {
      const outcome = Effect.fnUntraced(function*(row: typeof Webhooks.slack, profile: object) {
        const { result, seen } = yield* send(row, row.success, { more: { profile: { ...profile } } })
        return [outcomeOf(result), seen.length] as const
      })
      const path = "/services/T0/B0/x"
      for (const host of ["hooks.slack.com", "hooks.slack-gov.com", "HOOKS.slack.com:443"]) {
        assert.deepStrictEqual(yield* outcome(Webhooks.slack, slack(`https://${host}${path}`)), ["Accepted", 1], host)
      }
      const workflows = [
        "acme.webhook.office.com",
        "outlook.office.com",
        "prod-01.westeurope.logic.azure.com",
        "default0.0a.environment.api.powerplatform.com"
      ]
      for (const host of workflows) {
        assert.deepStrictEqual(yield* outcome(Webhooks.msTeams, teams(`https://${host}${path}`)), ["Accepted", 1], host)
      }
      const foreign = [
        `http://hooks.slack.com${path}`,
        `https://hooks.slack.com:8443${path}`,
        `https://hooks.slack.com.example.com${path}`,
        `https://evil.example/hooks.slack.com`,
        `https://hooks.slack.com@127.0.0.1${path}`,
        "https://logic.azure.com.example.com/x",
        "https://evilwebhook.office.com.example/x",
        "hooks.slack.com/services",
        "x"
      ]
      for (const url of foreign) {
        assert.deepStrictEqual(yield* outcome(Webhooks.slack, slack(url)), ["RecipientRejected", 0], url)
        assert.deepStrictEqual(yield* outcome(Webhooks.msTeams, teams(url)), ["RecipientRejected", 0], url)
      }
    }))

  it("are vendors' own hosts, which a proxy is asked for by name: here nobody may know the name", () => {
    const hosts = [
      "hooks.slack.com",
      "hooks.slack-gov.com",
      "outlook.office.com",
      "outlook.office365.com",
      "acme.webhook.office.com",
      "prod-01.westeurope.logic.azure.com",
      "prod-01.usgovvirginia.logic.azure.us",
      "default0.0a.environment.api.powerplatform.com"
    ]
    for (const host of hosts) assert.isTrue(VendorHosts.isVendors(host), host)
    for (const host of ["azure.com", "xlogic.azure.com", "office.com", "xslack-gov.com", "hooks.slack.com.example"])
      assert.isFalse(VendorHosts.isVendors(host), host)
  })

  it("keep their path and query, and go to the configured base in place of their host", () => {
    const url = "https://hooks.slack.com/services/T/B/x?a=%2F"
    assert.strictEqual(IncomingWebhook.at(url, /^hooks\.slack\.com$/, undefined), url)
    assert.strictEqual(
      IncomingWebhook.at(url, /^hooks\.slack\.com$/, "http://gateway.example/slack/"),
      "http://gateway.example/slack/services/T/B/x?a=%2F"
    )
  })

  it.live("P9: what became of a call does not tell the URL", () =>
    Effect.gen(function*() {
      for (const row of rows) {
        const { result } = yield* send(row, { status: 404, body: "no_service" })
        assert.notInclude(JSON.stringify(Result.getOrElse(result, (error) => error)), "XXXX")
        const { serverOf } = yield* configure(row, settingsAt(row, "http://127.0.0.1:1")).pipe(withHttp(1_000))
        assert.isDefined(serverOf?.(row.profile, {}), "it has a circuit of its own")
        assert.notInclude(serverOf?.(row.profile, {}), "XXXX")
      }
    }).pipe(Effect.scoped))

  it.live("are used where the address names no other place", () =>
    Effect.gen(function*() {
      const more = {
        profile: { slack: { ...Object(Webhooks.slack.profile["slack"]), channel: "C1", access_token: "t" } }
      }
      const posted = yield* send(Chat.slack, Chat.slack.success, { more })
      assert.deepStrictEqual(posted.seen.map(({ path }) => path), ["/chat.postMessage"])
      for (const incoming_webhook of [{}, { url: "" }, "https://hooks.slack.com/services/T0/B0/x"]) {
        const profile = { slack: { channel: "C1", access_token: "t", incoming_webhook } }
        const { result } = yield* send(Chat.slack, Chat.slack.success, { more: { profile } })
        assert.strictEqual(outcomeOf(result), "Accepted", "what is no webhook takes no place away")
      }
      const ms_teams = { ...Object(Webhooks.msTeams.profile["ms_teams"]), ...Object(Chat.msTeams.profile["ms_teams"]) }
      const bot = yield* send(Chat.msTeams, Chat.msTeams.success, { more: { profile: { ms_teams } } })
      assert.strictEqual(bot.seen.at(-1)?.path, Chat.msTeams.request.path)
    }))

  it.live("P6: are heard in their own words, and the platforms' own interfaces in theirs alone", () =>
    Effect.gen(function*() {
      const outcome = (row: typeof Webhooks.slack, answer: typeof row.success) =>
        Effect.map(send(row, answer), ({ result }) => outcomeOf(result))
      const said = { status: 200, body: JSON.stringify({ ok: true }) }
      assert.strictEqual(yield* outcome(Webhooks.slack, said), "Accepted", "as a response_url has it")
      for (const body of ["ok", said.body])
        assert.strictEqual(yield* outcome(Chat.slack, { status: 200, body }), "Unknown", body)
      for (const answer of [{ status: 202 }, { status: 200, body: "1" }])
        assert.strictEqual(yield* outcome(Chat.msTeams, answer), "Unknown", `${answer.status}`)
    }))

  it.live("a Teams configuration without a bot reaches workflows alone, and half a bot is none", () =>
    Effect.gen(function*() {
      const { result, seen } = yield* send({ ...Chat.msTeams, settings: {} }, Chat.msTeams.success)
      assert.deepStrictEqual([outcomeOf(result), seen], ["Misconfigured", []])
      const half = yield* Effect.flip(configure(Chat.msTeams, { app_id: "app" }).pipe(withHttp(1_000)))
      assert.include(new Schema.SchemaError(half).message, "Expected app_id and app_password together, or neither")
    }).pipe(Effect.scoped))

  it.live("what a workflow refuses is not sent again with another token of the bot", () =>
    Effect.gen(function*() {
      const row = { ...Webhooks.msTeams, settings: Chat.msTeams.settings, before: Chat.msTeams.before ?? {} }
      const { result, seen } = yield* send(row, { status: 401 })
      assert.deepStrictEqual([outcomeOf(result), seen.length], ["RecipientRejected", 1])
    }))

  it.live("a workflow is given the elements' own card, or a text that fits into one", () =>
    Effect.gen(function*() {
      const content = Effect.fnUntraced(function*(more: Partial<typeof rendered>) {
        const { seen } = yield* send(Webhooks.msTeams, Webhooks.msTeams.success, {
          more: { rendered: { ...rendered, ...more } }
        })
        assert.isAtMost(Buffer.byteLength(seen[0]?.body ?? ""), 28_000)
        return JSON.parse(seen[0]?.body ?? "{}").attachments[0].content
      })
      const card = { type: "AdaptiveCard", version: "1.4", body: [] }
      assert.deepStrictEqual(yield* content({ native: { adaptiveCard: card } }), card)
      for (const title of ["", "題".repeat(20_000)]) {
        const long = yield* content({ title, body: "字".repeat(20_000) })
        assert.deepStrictEqual(long.body.length, title === "" ? 1 : 2)
        assert.match(long.body.at(-1).inlines[0].text, /^字+…$/)
      }
      const large = { ...card, body: [{ type: "TextBlock", text: "字".repeat(10_000) }] }
      assert.include(JSON.stringify(yield* content({ native: { adaptiveCard: large } })), rendered.body)
    }))
})
