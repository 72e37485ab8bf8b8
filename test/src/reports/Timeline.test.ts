import type { HistoryEvent } from "#schemas/History.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { blank } from "#schemas/Rendered.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Timeline from "#src/reports/Timeline.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"

const shown = (recipient: Recipient, instructions: Instructions = {}) => ({
  keyState: "published" as const,
  recipient,
  instructions
})

describe("A send as its recipient may see it", () => {
  it("P9: has none of the workspace's credentials, and all the rest", () => {
    const webhook = {
      url: "https://hooks.example.com/secret?key=secret",
      method: "POST" as const,
      headers: { authorization: "secret" },
      authentication: { mode: "bearer" as const, token: "secret" }
    }
    const recipient: Recipient = {
      user_id: "ada",
      email: "ada@example.com",
      slack: { access_token: "secret", channel: "C", incoming_webhook: { url: "secret" } },
      ms_teams: { webhook_url: "secret" },
      pagerduty: { routing_key: "secret", source: "db" },
      webhook
    }
    const { recipient: seen } = Timeline.forUser(shown(recipient))
    assert.deepStrictEqual(seen, {
      user_id: "ada",
      email: "ada@example.com",
      slack: { channel: "C" },
      ms_teams: {},
      pagerduty: { source: "db" },
      webhook: { url: "https://hooks.example.com", method: "POST" }
    })
    assert.deepStrictEqual(Timeline.forUser(shown({ webhook: { url: "secret" } })).recipient, { webhook: { url: "" } })
    assert.deepStrictEqual(Timeline.forUser(shown({ slack: null, constructor: { url: "a" } })).recipient, {
      slack: null,
      constructor: { url: "a" }
    })
  })

  it("has no overrides; its caller's has them, without the account to call with", () => {
    const instructions: Instructions = {
      providers: { smtp: { override: { config: { password: "secret" }, cc: ["b"] } }, ses: { override: null } },
      channels: { email: { override: { subject: "s" } }, sms: {} }
    }
    assert.deepStrictEqual(Timeline.forUser(shown({}, instructions)).override, {})
    assert.deepStrictEqual(Timeline.forCaller(shown({}, instructions)).override, {
      smtp: { cc: ["b"] },
      channel: { email: { subject: "s" } }
    })
    assert.deepStrictEqual(Timeline.forCaller(shown({})).override, {})
  })
})

describe("The profile that a message was sent with", () => {
  const told = (shown: Timeline.Shown) => Timeline.entries([{ type: "PROFILE_LOADED", ts: 1 }], Fixture.record(), shown)
  const send = shown({ user_id: "ada", email: "new@example.com", locale: null, tenant_id: "acme", data: { a: 1 } })
  const stored = { email: "old@example.com", locale: "de", user_id: "eve" }

  it("is what was stored, and that under what the send says of its recipient", () => {
    assert.deepStrictEqual<unknown>(told(Timeline.forCaller(send, stored)), [{
      type: "PROFILE_LOADED",
      ts: 1,
      received_profile: send.recipient,
      stored_profile: stored,
      merged_profile: { email: "new@example.com", locale: "de", user_id: "ada" }
    }])
  })

  it("is left out where it is not known any more, and for a user's own token", () => {
    for (const seen of [Timeline.forCaller(send), Timeline.forUser(send)]) {
      assert.deepStrictEqual<unknown>(told(seen), [
        { type: "PROFILE_LOADED", ts: 1, received_profile: send.recipient }
      ])
    }
  })
})

describe("The outputs of a message", () => {
  it("are the last of each channel that was rendered", () => {
    const line = (type: HistoryEvent["type"], channel: string | undefined, text: string | undefined): HistoryEvent => ({
      type,
      ts: 1,
      ...(channel === undefined ? {} : { channel }),
      ...(text === undefined ? {} : { output: { ...blank, text } })
    })
    const lines = [
      line("RENDERED", "email", "first"),
      line("RENDERED", "email", "last"),
      line("SENT", "sms", "no rendering"),
      line("RENDERED", undefined, "no channel"),
      line("RENDERED", "push", undefined)
    ]
    const found = Timeline.outputs(lines).map(({ channel, content }) => [channel, content.text])
    assert.deepStrictEqual(found, [["email", "last"]])
  })
})

describe("A timeline as callers see it", () => {
  it("has all that an event stores, under the names of the API", () => {
    const event: HistoryEvent = {
      type: "RETRYING",
      ts: 7,
      channel: "email",
      provider: "smtp",
      attempt: 2,
      outcome: "Unavailable",
      reason: "FAILED",
      error: "451",
      reference: "r",
      dueAt: 9,
      possibleDuplicate: true
    }
    const told = (...events: ReadonlyArray<HistoryEvent>) =>
      Timeline.entries(events, Fixture.record(), Timeline.forCaller(shown({ user_id: "ada" })))
    assert.deepStrictEqual<unknown>(told(event, { type: "ROUTED", ts: 1 }), [
      {
        type: "RETRYING",
        ts: 7,
        channel: { id: "email" },
        integration: { id: "smtp", provider: "smtp" },
        attempt: 2,
        outcome: "Unavailable",
        reason: "FAILED",
        error_message: "451",
        reference: { id: "r" },
        due_at: 9,
        possible_duplicate: true
      },
      { type: "ROUTED", ts: 1 }
    ])
    const decision = { outcome: "DROPPED" as const, status: "OPTED_OUT" as const }
    assert.deepStrictEqual<unknown>(told({ type: "PREFERENCES_RESOLVED", ts: 1, decision }), [
      { type: "PREFERENCES_RESOLVED", ts: 1, ...decision }
    ])
  })
})
