import { ask, fetched, type Service, until } from "#test/client/Service.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, type Vitest } from "@effect/vitest"
import type Courier from "@trycourier/courier"
import { Effect } from "effect"

type To = NonNullable<Courier.SendMessageParams.Message["to"]>

/** The places of a platform as the client types them, by the name that they are listed under. */
const slack: ReadonlyArray<readonly [string, Courier.SlackRecipient]> = [
  ["C1", { slack: { access_token: "xoxb-own", channel: "C1" } }],
  ["U2", { slack: { access_token: "xoxb-own", user_id: "U2" } }],
  ["ada@example.com", { slack: { access_token: "xoxb-own", email: "ada@example.com" } }]
]
const service = { service_url: "https://smba.trafficmanager.net/teams/", tenant_id: "t1" }
const msTeams: ReadonlyArray<readonly [string, Courier.MsTeamsRecipient]> = [
  ["conversation", { ms_teams: { ...service, conversation_id: "conversation" } }],
  ["channel", { ms_teams: { ...service, channel_id: "channel" } }],
  ["user", { ms_teams: { ...service, user_id: "user" } }],
  ["General", { ms_teams: { ...service, team_id: "team", channel_name: "General" } }]
]

const pagerDuty: Courier.PagerdutyRecipient = {
  pagerduty: { routing_key: "r", event_action: "trigger", severity: "info", source: "test" }
}

/** What the documentation sends to and the client's types do not name, each with its provider and the path that is called. */
const untyped: ReadonlyArray<readonly [string, string, unknown, unknown]> = [
  ["discord", "Discord", { channel_id: "768866348853383208" }, "768866348853383208"],
  ["discord", "Discord", { user_id: "617099137532932107" }, "617099137532932107"],
  ["expo", "Expo", { token: "ExponentPushToken[1]" }, "ExponentPushToken[1]"],
  ["expo", "Expo", { tokens: ["ExponentPushToken[2]", "ExponentPushToken[3]"] }, "ExponentPushToken[2]"]
]

/** The same of URLs that are keys themselves, with the name and the path that is called. */
const webhooks: ReadonlyArray<readonly [unknown, string, string]> = [
  [
    { slack: { incoming_webhook: { url: "https://hooks.slack.com/services/T/B/secret" } } },
    "webhook:c6d614ea",
    "/services/T/B/secret"
  ],
  [
    { ms_teams: { webhook_url: "https://a.logic.azure.com/workflows/secret" } },
    "webhook:57aeb734",
    "/workflows/secret"
  ]
]

const json = (body: unknown) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const vendor = ScriptedVendor.listen({
  script: ({ path }) => {
    if (path.startsWith("/users.lookupByEmail")) return json({ ok: true, user: { id: "U3" } })
    if (path.startsWith("/chat.postMessage")) return json({ ok: true, ts: "1.2" })
    if (path === "/token") return json({ access_token: "t", expires_in: 3_600, token_type: "Bearer" })
    if (path.endsWith("/v3/teams/team/conversations"))
      return json({ conversations: [{ id: "general", name: "General" }] })
    if (path.startsWith("/services/")) return { status: 200, body: "ok" }
    if (path.startsWith("/workflows/")) return { status: 202 }
    if (path === "/v2/enqueue") return json({ status: "success", dedup_key: "test" })
    if (path === "/--/api/v2/push/send") return json({ data: { status: "ok", id: "ticket" } })
    return json({ id: path.startsWith("/api/v10/") ? "100000" : "made" })
  }
})

const message = (to: To) => ({ to, content: { title: "Hello", body: "There" } })

const settled = Effect.fnUntraced(function*(to: To, name?: string) {
  const { requestId } = yield* ask((client) => client.send.message({ message: message(to) }))
  const found = yield* until(
    ask((client) => client.messages.retrieve(requestId)),
    ({ status }) => !["ENQUEUED", "ROUTED"].includes(status)
  )
  if (name !== undefined) assert.strictEqual(found.recipient, name)
  return found
})

const outcome = Effect.fnUntraced(function*(to: unknown) {
  const { body } = yield* fetched("POST", "/send", { message: { to, content: { title: "Hello", body: "There" } } })
  return yield* until(
    ask((client) => client.messages.retrieve(body.requestId)),
    ({ status }) => !["ENQUEUED", "ROUTED"].includes(status)
  )
})

export const chat = (it: Vitest.MethodsNonLive<Service>) => {
  it.effect("send.message to a place of a chat platform, which its provider takes or nobody", () =>
    Effect.gen(function*() {
      const nobodys: ReadonlyArray<readonly [To, string]> = [
        [{ slack: { access_token: "xoxb-own", channel: "C1" } }, "Slack"],
        [{ ms_teams: { ...service, channel_id: "channel" } }, "Microsoft Teams"],
        [pagerDuty, "PagerDuty"]
      ]
      for (const [to, platform] of nobodys) {
        assert.deepInclude(yield* settled(to), {
          status: "UNROUTABLE",
          reason: "NO_PROVIDERS",
          error: `No provider for ${platform} is configured`
        })
      }
      const { origin, seen } = yield* vendor
      yield* ask((client) => client.providers.create({ provider: "slack", settings: { base_url: origin } }))
      yield* ask((client) =>
        client.providers.create({
          provider: "msteams",
          settings: { app_id: "app", app_password: "p", token_url: `${origin}/token`, base_url: origin }
        })
      )
      const sent = Effect.fnUntraced(function*(to: To, name: string) {
        const found = yield* settled(to, name)
        assert.strictEqual(found.status, "SENT", found.error ?? "")
        return seen.at(-1)
      })
      const posted: Array<unknown> = []
      for (const [name, to] of slack) {
        const last = yield* sent(to, name)
        assert.strictEqual(last?.headers["authorization"], "Bearer xoxb-own")
        posted.push(JSON.parse(last?.body ?? "").channel)
      }
      assert.deepStrictEqual(posted, ["C1", "U2", "U3"])
      const paths: Array<string | undefined> = []
      for (const [name, to] of msTeams) paths.push((yield* sent(to, name))?.path)
      assert.deepStrictEqual(
        paths,
        ["conversation", "channel", "made", "general"].map((id) => `/v3/conversations/${id}/activities`)
      )

      yield* ask((client) => client.providers.create({ provider: "pagerduty", settings: { base_url: origin } }))
      const incident = JSON.parse((yield* sent(pagerDuty, "test"))?.body ?? "")
      assert.deepInclude(incident.payload, { summary: "Hello", severity: "info", source: "test" })

      for (const [to, name, path] of webhooks) {
        const found = yield* outcome(to)
        assert.deepStrictEqual([found.status, found.recipient], ["SENT", name], found.error ?? "")
        assert.strictEqual(seen.at(-1)?.path, path)
      }

      // Several of them, one of them twice: one message each.
      const { requestId } = yield* ask((client) =>
        client.send.message({ message: message([...slack, ...slack].map(([, to]) => to)) })
      )
      const { results } = yield* until(
        ask((client) => client.messages.list({ traceId: requestId, status: ["SENT"] })),
        (page) => page.results.length >= slack.length
      )
      assert.sameMembers(results.map(({ recipient }) => recipient), ["C1", "U2", "ada@example.com"])
      const { results: unrouted } = yield* ask((client) => client.messages.list({ recipient: "C1" }))
      assert.lengthOf(unrouted, 3)
      for (const to of [{ slack: {} }, { ms_teams: { user_id: "u" } }, { pagerduty: "r" }]) {
        const { body, status } = yield* fetched("POST", "/send", {
          message: { to, content: { title: "t", body: "b" } }
        })
        assert.strictEqual(status, 400)
        assert.match(body.message, new RegExp(`^message\\.to\\.${Object.keys(to)[0]}: [a-zA-Z]`))
      }
    }))

  it.effect("POST /send to a place or a device that stands for nobody's profile", () =>
    Effect.gen(function*() {
      for (const [key, platform, address] of untyped) {
        assert.deepInclude(yield* outcome({ [key]: address }), {
          status: "UNROUTABLE",
          reason: "NO_PROVIDERS",
          error: `No provider for ${platform} is configured`
        })
      }
      const { origin, seen } = yield* vendor
      const settings = { base_url: origin }
      yield* ask((client) =>
        client.providers.create({ provider: "discord", settings: { ...settings, bot_token: "bot" } })
      )
      yield* ask((client) => client.providers.create({ provider: "expo", settings }))
      for (const [key, , address, name] of untyped) {
        const found = yield* outcome({ [key]: address })
        assert.strictEqual(found.status, "SENT", found.error ?? "")
        assert.strictEqual(found.recipient, name)
      }
      assert.deepStrictEqual(seen.map(({ path }) => path), [
        "/api/v10/channels/768866348853383208/messages",
        "/api/v10/users/@me/channels",
        "/api/v10/channels/100000/messages",
        ...Array.from({ length: 3 }, () => "/--/api/v2/push/send")
      ])
      for (const to of [{ discord: {} }, { expo: "bare" }, { apn: {} }, { firebaseToken: [] }]) {
        const { body, status } = yield* fetched("POST", "/send", {
          message: { to, content: { title: "t", body: "b" } }
        })
        assert.strictEqual(status, 400)
        assert.match(body.message, new RegExp(`^message\\.to\\.${Object.keys(to)[0]}: [a-zA-Z]`))
      }
    }))
}
