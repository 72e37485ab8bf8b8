import type { Several } from "#layers/cli/Server.ts"
import * as Timeline from "#layers/cli/Timeline.ts"
import type { RequestProgress } from "#schemas/api/Requests.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { undelivered } from "#test/layers/cli/Undelivered.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const id = MessageId.make("1-6553f100-0123456789abcdef01234567")
const at = 1_700_000_000_000

const message = undelivered(id, { enqueued: at, reason: "BOUNCED", error: "The webhook answered 410" })

const webhook = { channel: { id: "webhook" }, integration: { id: "webhook", provider: "webhook" } }

describe("Timeline", () => {
  it("tells whose preferences decided", () => {
    const rule = { source: "user_in_tenant", id: "pt_news" }
    const printed = Timeline.timeline(message, [
      {
        type: "PREFERENCES_RESOLVED",
        ts: at,
        outcome: "KEPT",
        topic_id: "pt_news",
        status: "OPTED_IN",
        rule,
        channels: { kept: ["email"], dropped: ["sms", "pu\u0007sh"], rule: { source: "tenant_default", id: "acme" } }
      },
      {
        type: "PREFERENCES_RESOLVED",
        ts: at,
        outcome: "DROPPED",
        status: "OPTED_OUT",
        rule: { ...rule, snoozed: true },
        reason: "UNSUBSCRIBED"
      },
      {
        type: "PREFERENCES_RESOLVED",
        ts: at,
        outcome: "DROPPED",
        status: "OPTED_IN",
        channels: { kept: [], dropped: [], rule: { source: "tenant_default", id: "acme" } }
      },
      { type: "MAPPED", ts: at, outcome: "KEPT", status: "OPTED_IN", rule }
    ])
    assert.deepStrictEqual(printed.split("\n").slice(1), [
      "  +0 ms  PREFERENCES_RESOLVED    KEPT, OPTED_IN by user in tenant pt_news, channels email by tenant default acme, without sms pu sh",
      "  +0 ms  PREFERENCES_RESOLVED    DROPPED, OPTED_OUT by user in tenant pt_news (snoozed), UNSUBSCRIBED",
      "  +0 ms  PREFERENCES_RESOLVED    DROPPED, channels none by tenant default acme",
      "  +0 ms  MAPPED                  KEPT"
    ])
  })

  it("tells which channels are left out, since the address is suppressed", () => {
    const suppressed = [{ channel: "email", reason: "BOUNCED" }, { channel: "sms", reason: "MANUAL" }]
    const printed = Timeline.timeline(message, [
      { type: "ROUTED", ts: at, suppressed },
      {
        type: "UNDELIVERABLE",
        ts: at,
        reason: "BOUNCED",
        error_message: "It bounced",
        suppressed: suppressed.slice(1)
      },
      { type: "ROUTED", ts: at, suppressed: ["odd"] }
    ])
    assert.deepStrictEqual(printed.split("\n").slice(1), [
      "  +0 ms  ROUTED           without email (suppressed: BOUNCED) and sms (suppressed: MANUAL)",
      "  +0 ms  UNDELIVERABLE    BOUNCED, It bounced, without sms (suppressed: MANUAL)",
      "  +0 ms  ROUTED"
    ])
  })

  it("tells what a message names and does not exist", () => {
    const printed = Timeline.timeline(message, [
      { type: "PROFILE_LOADED", ts: at, unknown_tenant: "ac\nme", unknown_topic: "news", unknown_brand: "old" },
      { type: "UNROUTABLE", ts: at, reason: "NO_CHANNELS", unknown_tenant: "acme" }
    ])
    assert.deepStrictEqual(printed.split("\n").slice(1), [
      "  +0 ms  PROFILE_LOADED    without the tenant ac me, which does not exist, without the topic news, which does not exist, without the brand old, which does not exist",
      "  +0 ms  UNROUTABLE        NO_CHANNELS, without the tenant acme, which does not exist"
    ])
  })

  it("tells what happened when, where and why, in columns", () => {
    const printed = Timeline.timeline(message, [
      { type: "ENQUEUED", ts: at, data: { secret: "payload" } },
      { type: "ROUTED", ts: at + 9 },
      {
        type: "RETRYING",
        ts: at + 120,
        ...webhook,
        attempt: 1,
        outcome: "Unavailable",
        error_message: "HTTP 503",
        due_at: at + 5_120
      },
      {
        type: "DELIVERING",
        ts: at + 5_130,
        channel: { id: "email" },
        integration: { provider: "ses" },
        attempt: 2,
        possible_duplicate: true
      },
      { type: "SENT", ts: at + 5_140, channel: { id: "email" }, reference: { id: "<1@ses>" } },
      { type: "UNDELIVERABLE", ts: at + 5_200, ...webhook, attempt: 3, outcome: "RecipientRejected", reason: "BOUNCED" }
    ])
    assert.deepStrictEqual(printed.split("\n"), [
      `UNDELIVERABLE  ${id}  to ada  2023-11-14T22:13:20.000Z  BOUNCED: The webhook answered 410`,
      "     +0 ms  ENQUEUED",
      "     +9 ms  ROUTED",
      "   +120 ms  RETRYING       webhook #1    Unavailable, HTTP 503, next try 2023-11-14T22:13:25.120Z (in 5000 ms)",
      "  +5130 ms  DELIVERING     email/ses #2  possible duplicate",
      "  +5140 ms  SENT           email         reference <1@ses>",
      "  +5200 ms  UNDELIVERABLE  webhook #3    RecipientRejected, BOUNCED"
    ])
  })

  const request: RequestProgress = {
    requestId: id,
    state: "COMPLETED",
    messages: 2,
    enqueued: at,
    completed: at,
    error: undefined,
    archived: false
  }
  const several = (found: Partial<Several>): Several => ({
    _tag: "Several",
    id,
    request,
    messages: [],
    more: false,
    ...found
  })

  it("lists the messages of a request, and says when there are more", () => {
    const messages = [message, { ...message, status: "SENT" as const, reason: undefined, error: undefined }]
    const printed = Timeline.listing(several({ messages, more: true, request: { ...request, messages: 3_000 } }))
    assert.deepStrictEqual(printed.split("\n"), [
      `Request ${id}: the newest 2 of 3000 messages`,
      `  UNDELIVERABLE  ${id}  to ada  2023-11-14T22:13:20.000Z  BOUNCED: The webhook answered 410`,
      `  SENT           ${id}  to ada  2023-11-14T22:13:20.000Z`
    ])
  })

  it("says how far a request has come, also of one without messages, and what its callers' trace ids stand for", () => {
    assert.strictEqual(Timeline.listing(several({})), `Request ${id}: 0 messages`)
    assert.strictEqual(Timeline.listing(several({ messages: [message] })).split("\n")[0], `Request ${id}: 1 message`)
    assert.strictEqual(
      Timeline.listing(several({ request: { ...request, state: "RUNNING", archived: true, error: "No\nlist" } })),
      `Request ${id}: 0 messages, RUNNING, archived, No list`
    )
    assert.strictEqual(
      Timeline.listing(several({ id: "checkout 1", request: undefined, messages: [message], more: true })).split(
        "\n"
      )[0],
      "Trace checkout 1: the newest 1 of more messages"
    )
  })

  it.prop("whatever a caller or provider wrote, an event is one line without control characters", {
    recipient: Schema.String,
    text: Schema.String
  }, ({ recipient, text }) => {
    const hostile = `${text}\u001b[2J\n${text}`
    const printed = Timeline.timeline({ ...message, recipient: recipient + hostile, error: hostile }, [
      {
        type: "RETRYING",
        ts: at,
        channel: { id: hostile },
        outcome: hostile,
        error_message: hostile,
        reference: { id: hostile }
      }
    ])
    assert.strictEqual(printed.split("\n").length, 2)
    assert.notMatch(printed.replaceAll("\n", ""), /\p{Cc}/u)
  })
})
