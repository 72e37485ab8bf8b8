import { Scope } from "#schemas/Scope.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import * as ChatAddresses from "#src/delivery/intake/ChatAddresses.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const identity = (recipient: Recipient) => Recipients.identify(Scope.make(1), recipient)
const teams = { service_url: "https://smba.trafficmanager.net/teams/", tenant_id: "t" }

describe("ChatAddresses", () => {
  it("P9 a place is one mailbox for each account, and neither its key nor its name holds a token", () => {
    const recipients: ReadonlyArray<Recipient> = [
      { slack: { access_token: "xoxb-secret-1", channel: "C" } },
      { slack: { access_token: "xoxb-secret-2", channel: "C" } },
      { slack: { channel: "C" } },
      { slack: { channel: "D" } },
      { slack: { incoming_webhook: { url: "https://hooks.slack.com/secret-1" } } },
      { slack: { channel: "E", incoming_webhook: { url: "" } } },
      { slack: { channel: "F", incoming_webhook: "https://hooks.slack.com/secret-1" } },
      { slack: { incoming_webhook: { url: "https://hooks.slack.com/secret-2" } } },
      { ms_teams: { webhook_url: "https://hooks.slack.com/secret-1" } },
      { ms_teams: { ...teams, user_id: "C" } },
      { ms_teams: { ...teams, tenant_id: "u", user_id: "C" } },
      { ms_teams: { ...teams, team_id: "a", channel_name: "C" } },
      { ms_teams: { ...teams, team_id: "b", channel_name: "C" } },
      { discord: { channel_id: "C" } },
      { discord: { user_id: "C" } },
      { pagerduty: { routing_key: "secret-3" } },
      { pagerduty: { routing_key: "secret-4" } },
      { pagerduty: {} }
    ]
    const found = recipients.map(identity)
    assert.strictEqual(new Set(found.map((one) => one?.key)).size, recipients.length)
    assert.notInclude(JSON.stringify(found), "secret")
    assert.deepStrictEqual(recipients.map(identity), found)
  })

  it("each field that may name a place names it by itself, and of several the first of its platform", () => {
    const platforms = [
      ["slack", ["channel", "user_id", "email"], {}],
      ["ms_teams", ["conversation_id", "channel_id", "user_id", "email"], teams],
      ["discord", ["channel_id", "user_id"], {}]
    ] as const
    for (const [platform, fields, common] of platforms) {
      const address = (named: ReadonlyArray<string>) => ({
        [platform]: { ...common, ...Object.fromEntries(named.map((field) => [field, `the ${field}`])) }
      })
      for (const [index, field] of fields.entries()) {
        const alone = identity(address([field]))
        assert.strictEqual(alone?.name, `the ${field}`, platform)
        assert.deepStrictEqual(identity(address(fields.slice(index))), alone, platform)
      }
    }
  })

  it("PagerDuty is named by what has the trouble, if that is said", () => {
    assert.strictEqual(identity({ pagerduty: { source: "db" } })?.name, "db")
    assert.strictEqual(identity({ pagerduty: {} })?.name, "pagerduty")
  })

  it("a place is nobody's while it is not whole", () => {
    const parts: ReadonlyArray<Recipient> = [
      { slack: {} },
      { slack: "C" },
      { slack: { channel: "" } },
      { slack: { channel: "a\u0000" } },
      { slack: { incoming_webhook: { url: "" } } },
      { slack: { incoming_webhook: "https://hooks.slack.com/x" } },
      { ms_teams: { webhook_url: "" } },
      { ms_teams: { user_id: "u" } },
      { ms_teams: { ...teams, team_id: "a" } },
      { ms_teams: { ...teams, channel_name: "C" } },
      { discord: {} },
      { pagerduty: [] }
    ]
    for (const recipient of parts) assert.isUndefined(identity(recipient), JSON.stringify(recipient))
  })

  it("what is missing is told of the platform that was named", () => {
    const named = [["slack", {}], ["ms_teams", {}], ["discord", {}], ["pagerduty", 1]] as const
    for (const [kind, address] of named) {
      const fault = ChatAddresses.fault({ slack: null, [kind]: address })
      assert.match(fault ?? "", new RegExp(`^${kind}: `))
    }
    assert.isUndefined(ChatAddresses.fault({}))
  })

  it.effect("a person or a list with a platform's address is still a person or a list; a tenant is where it happens", () =>
    Effect.gen(function*() {
      const slack = { slack: { channel: "C" } }
      assert.strictEqual(identity({ user_id: "ada", ...slack })?.name, "ada")
      assert.strictEqual((yield* Groups.of({ list_id: "l", ...slack }))?.source._tag, "List")
      assert.isUndefined(yield* Groups.of({ tenant_id: "t", ...slack }))
      assert.strictEqual((yield* Groups.of({ tenant_id: "t" }))?.source._tag, "Tenant")
    }))
})
