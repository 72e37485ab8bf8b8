import * as Cloud from "#layers/providers/MsTeamsCloud.ts"
import { blank } from "#schemas/Rendered.ts"
import { configure, delivery, outcomeOf, send, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"

const service_url = "https://smba.trafficmanager.net/emea/"
const tenant_id = "72f988bf-86f1-41af-91ab-2d7cd011db47"

const channels = json(200, { conversations: [{ id: "19:general" }, { id: "19:news@thread.tacv2", name: "News" }] })

/** Sends to these addresses of Teams; `answers` by path, the rest as the row has it. */
const sendTo = Effect.fnUntraced(
  function*(
    addresses: ReadonlyArray<Schema.JsonObject>,
    answers: Readonly<Record<string, ScriptedVendor.Answer>>
  ) {
    const server = yield* ScriptedVendor.listen({
      script: ({ path }) => {
        const bare = path.split("?")[0] ?? ""
        return answers[bare] ?? Chat.msTeams.before?.[bare] ?? Chat.msTeams.success
      }
    })
    const settings = { ...settingsAt(Chat.msTeams, server.origin), graph_url: `${server.origin}/graph` }
    const vendor = yield* configure(Chat.msTeams, settings).pipe(withHttp(10_000))
    const results = yield* Effect.forEach(addresses, (ms_teams) => {
      assert.isTrue(vendor.reaches({ ms_teams }))
      return Effect.result(vendor.send(delivery(Chat.msTeams, { profile: { ms_teams } })))
    })
    return {
      outcomes: results.map(outcomeOf),
      seen: server.seen,
      paths: server.seen.map(({ path }) => path.split("?")[0])
    }
  },
  Effect.scoped
)

describe("Microsoft Teams", () => {
  it.live("by e-mail: finds the user in Graph, opens the conversation, posts; what was found is kept, as tokens are", () =>
    Effect.gen(function*() {
      const { outcomes, paths, seen } = yield* sendTo(
        Array.from({ length: 2 }, () => ({ service_url, tenant_id, email: "o'hara@example.com" })),
        { "/graph/v1.0/users": json(200, { value: [{ id: "aad-1" }] }) }
      )
      assert.deepStrictEqual(outcomes, ["Accepted", "Accepted"])
      const posted = "/v3/conversations/a%3A1pL6i0oY3C0K8oAj8/activities"
      const found = ["/graph/v1.0/users", "/v3/conversations"]
      assert.deepStrictEqual(paths.filter((path) => path === "/login").length, 2)
      assert.deepStrictEqual(paths.filter((path) => path !== "/login"), [...found, posted, posted])
      const query = new URL(seen.find(({ path }) => path.startsWith("/graph"))?.path ?? "", "http://x").searchParams
      assert.strictEqual(
        query.get("$filter"),
        "mail eq 'o''hara@example.com' or userPrincipalName eq 'o''hara@example.com'"
      )
      assert.include(seen.find(({ path }) => path === "/v3/conversations")?.body, "\"members\":[{\"id\":\"aad-1\"}]")
    }))

  it.live("each person is looked up once, in each tenant; a channel's name each time, since it may be another's by now", () =>
    Effect.gen(function*() {
      const user = (user_id: string, tenant_id: string) => ({ service_url, user_id, tenant_id })
      const opened = (paths: ReadonlyArray<string | undefined>) =>
        paths.filter((path) => path === "/v3/conversations").length
      const one = yield* sendTo([user("a", "t1"), user("a", "t1"), user("b", "t1"), user("a", "t2")], {})
      assert.strictEqual(opened(one.paths), 3)
      const named = { service_url, team_id: "t", channel_name: "News" }
      const two = yield* sendTo([named, named], { "/v3/teams/t/conversations": channels })
      assert.deepStrictEqual(two.outcomes, ["Accepted", "Accepted"])
      assert.strictEqual(two.paths.filter((path) => path?.startsWith("/v3/teams/")).length, 2)
      const three = yield* sendTo([user("a", "t1"), user("a", "t1")], { "/v3/conversations": json(503, {}) })
      assert.strictEqual(opened(three.paths), 2)
    }))

  it.live("in a cloud of the US government: with a token of that cloud, by its Graph", () =>
    Effect.gen(function*() {
      const graphs = { gov: "https://graph.microsoft.us", dod: "https://dod-graph.microsoft.us" }
      for (const [cloud, graph] of Object.entries(graphs)) {
        const government = `https://smba.infra.${cloud}.teams.microsoft.us/teams/`
        const { outcomes, seen } = yield* sendTo(
          [{ service_url: government, tenant_id, email: "ann@example.com" }],
          { "/graph/v1.0/users": json(200, { value: [{ id: "aad-1" }] }) }
        )
        assert.deepStrictEqual(outcomes, ["Accepted"])
        const scopes = seen.filter(({ path }) => path === "/login").map(({ body }) =>
          new URLSearchParams(body).get("scope")
        )
        assert.deepStrictEqual(scopes, [`${graph}/.default`, "https://api.botframework.us/.default"])
        assert.deepStrictEqual(Cloud.of(government), { realm: "us", graph })
      }
      const of = (realm: "com" | "us") => Cloud.login({ realm }, Cloud.bots[realm].tenant)
      assert.deepStrictEqual([of("com"), of("us")], [
        "https://login.microsoftonline.com/botframework.com/oauth2/v2.0/token",
        "https://login.microsoftonline.us/MicrosoftServices.onmicrosoft.us/oauth2/v2.0/token"
      ])
      for (const url of ["https://smba.trafficmanager.net/amer/", "https://smba.infra.gcc.teams.microsoft.com/teams"])
        assert.strictEqual(Cloud.of(url), Cloud.commercial)
      for (
        const url of ["http://smba.trafficmanager.net/", "https://x.io/", "", "https://smba.trafficmanager.net:8443/"]
      )
        assert.isUndefined(Cloud.of(url))
    }))

  it.live("by a channel's name in a team, in any case; the first channel has none", () =>
    Effect.gen(function*() {
      for (const [channel_name, id] of [["news ", "19%3Anews%40thread.tacv2"], ["General", "19%3Ageneral"]] as const) {
        const { outcomes, paths } = yield* sendTo(
          [{ service_url, tenant_id, channel_name, team_id: "19:team@thread" }],
          { "/v3/teams/19%3Ateam%40thread/conversations": channels }
        )
        assert.deepStrictEqual(outcomes, ["Accepted"])
        assert.strictEqual(paths.at(-1), `/v3/conversations/${id}/activities`)
      }
    }))

  it.live("nobody, somebody else, nothing readable, no permission: each is told apart, and nothing is posted", () =>
    Effect.gen(function*() {
      const mail = { service_url, tenant_id, email: "ann@example.com" }
      const named = { service_url, channel_name: "none", team_id: "t" }
      const cases = [
        [mail, json(200, { value: [] }), "RecipientRejected"],
        [mail, json(200, { value: [{ id: "a" }, { id: "b" }] }), "RecipientRejected"],
        [mail, json(403, { error: { code: "Authorization_RequestDenied" } }), "Misconfigured"],
        [mail, json(503, {}), "Unavailable"],
        [mail, { status: 200, body: "<html>" }, "Unavailable"],
        [{ service_url, email: "ann@example.com" }, json(200, { value: [] }), "RecipientRejected"],
        [named, channels, "RecipientRejected"],
        [named, json(404, { error: { code: "NotFound" } }), "RecipientRejected"],
        [named, json(500, {}), "Unavailable"]
      ] as const
      for (const [address, answer, outcome] of cases) {
        const { outcomes, paths } = yield* sendTo([address], {
          "/graph/v1.0/users": answer,
          "/v3/teams/t/conversations": answer
        })
        assert.deepStrictEqual(outcomes, [outcome], JSON.stringify([address, answer]))
        assert.notInclude(paths.join(" "), "activities")
      }
    }))

  it.live("a card and its summary are 40,000 characters together: the summary is cut", () =>
    Effect.gen(function*() {
      const empty = { type: "AdaptiveCard", body: "" }
      const summarized = Effect.fnUntraced(function*(body: string, characters: number, summary: string) {
        const content = { ...empty, body: "x".repeat(characters - JSON.stringify(empty).length) }
        const rendered = { title: "", subject: "", body, text: body, html: "", blocks: [], actions: [] }
        const teams = yield* send(Chat.msTeams, Chat.msTeams.success, {
          more: { rendered: { ...rendered, native: { adaptiveCard: content } } }
        })
        assert.deepInclude(JSON.parse(teams.seen.at(-1)?.body ?? ""), { summary })
      })
      const long = "a".repeat(1_001)
      yield* summarized(long.slice(1), 39_000, long.slice(1))
      yield* summarized(long, 39_000, `${long.slice(2)}…`)
      yield* summarized(long, 38_999, long)
    }))

  it.live("a text alone is cut to 40,000 characters, of which Teams is certain to take a message", () =>
    Effect.gen(function*() {
      const texted = (body: string) =>
        Effect.map(
          send(Chat.msTeams, Chat.msTeams.success, { more: { rendered: { ...blank, body, text: body } } }),
          ({ seen }) => JSON.parse(seen.at(-1)?.body ?? "").text
        )
      const long = "a".repeat(40_000)
      assert.strictEqual(yield* texted(long), long)
      assert.strictEqual(yield* texted(`${long}a`), `${long.slice(1)}…`)
    }))

  it.live("elements go to Teams as a card and to Slack as blocks, with their text for notifications", () =>
    Effect.gen(function*() {
      const card = { type: "AdaptiveCard", version: "1.4", body: [] }
      const rendered = { title: "T", subject: "", body: "B", text: "B", html: "", blocks: [], actions: [] }
      const teams = yield* send(Chat.msTeams, Chat.msTeams.success, {
        more: { rendered: { ...rendered, native: { adaptiveCard: card } } }
      })
      assert.deepStrictEqual(JSON.parse(teams.seen.at(-1)?.body ?? ""), {
        type: "message",
        from: { id: `28:${Chat.msTeams.settings["app_id"]}` },
        summary: "T\nB",
        attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: card }]
      })
      const blocks = [{ type: "divider" }]
      for (
        const more of [{ native: { slackBlocks: blocks } }, {
          native: { slackBlocks: [] },
          raw: { slackBlocks: blocks }
        }]
      ) {
        const slack = yield* send(Chat.slack, Chat.slack.success, { more: { rendered: { ...rendered, ...more } } })
        assert.deepInclude(JSON.parse(slack.seen.at(-1)?.body ?? ""), { text: "*T*\nB", blocks })
      }
    }))

  it.live("a team without a channel, or a channel's name without a team, is no address", () =>
    Effect.gen(function*() {
      const vendor = yield* configure(Chat.msTeams, settingsAt(Chat.msTeams, "http://127.0.0.1:1")).pipe(
        withHttp(1_000)
      )
      for (const address of [{ service_url, team_id: "t" }, { service_url, channel_name: "n" }, { service_url }]) {
        assert.isFalse(vendor.reaches({ ms_teams: address }))
      }
    }).pipe(Effect.scoped))
})
