import { outcomeOf, rendered, type Row, send } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import { pagerDuty } from "#test/layers/providers/rows/Chat.ts"
import type { Delivery } from "#src/delivery/Provider.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"

const key = "0123456789abcdef0123456789abcdef"

/** A service that the operator configured, for recipients who bring no key. */
const ours: Row = { ...pagerDuty, settings: { routing_key: key }, profile: { pagerduty: {} } }

const event = Effect.fnUntraced(function*(row: Row, more: Partial<Delivery> = {}) {
  const { result, seen } = yield* send(row, row.success, { more })
  assert.strictEqual(outcomeOf(result), "Accepted")
  const body: Schema.JsonObject = JSON.parse(seen[0]?.body ?? "{}")
  return body
})

describe("PagerDuty", () => {
  it.live("what a recipient leaves out is the configuration's, and then as plain as can be", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* event(ours), {
        routing_key: key,
        event_action: "trigger",
        payload: {
          summary: "Your order",
          custom_details: { body: "It is on its way." },
          source: "tidings",
          severity: "error"
        }
      })
      const settings = { routing_key: key, event_action: "resolve", severity: "info", source: "ours" }
      const given = { routing_key: "own", event_action: "acknowledge", severity: "critical", source: "theirs" }
      const of = Effect.fnUntraced(function*(pagerduty: Schema.JsonObject) {
        const { event_action, payload, routing_key } = yield* event({ ...ours, settings, profile: { pagerduty } })
        return { routing_key, event_action, ...Object(payload), custom_details: undefined, summary: undefined }
      })
      assert.deepInclude(yield* of({}), settings)
      assert.deepInclude(yield* of({ event_action: null, severity: "", source: null }), settings)
      assert.deepInclude(yield* of(given), given)
    }))

  it.live("without a key of either nothing is sent", () =>
    Effect.gen(function*() {
      const { result, seen } = yield* send({ ...ours, settings: {} }, ours.success)
      assert.deepStrictEqual([outcomeOf(result), seen], ["Misconfigured", []])
    }))

  it.live("a refused key is the recipient's fault only if it is theirs", () =>
    Effect.gen(function*() {
      const refused = json(400, { status: "invalid event", message: "m", errors: ["Invalid routing key"] })
      assert.strictEqual(outcomeOf((yield* send(pagerDuty, refused)).result), "RecipientRejected")
      assert.strictEqual(outcomeOf((yield* send(ours, refused)).result), "Misconfigured")
    }))

  it.live("a repeat of a message is the same alert, whichever attempt it is; who resolves it names that one", () =>
    Effect.gen(function*() {
      const first = yield* event(ours)
      assert.strictEqual((yield* event(ours, { attempt: 2 }))["dedup_key"], first["dedup_key"])
      const resolving = yield* event(ours, {
        override: { body: { event_action: "resolve", dedup_key: "1-of-before", payload: { class: "disk" } } }
      })
      assert.deepInclude(resolving, { event_action: "resolve", dedup_key: "1-of-before" })
      assert.deepInclude(resolving["payload"], { class: "disk", summary: "Your order" })
    }))

  it.live("the summary is one line that is not too long, and links are web addresses", () =>
    Effect.gen(function*() {
      const untitled = { ...rendered, title: "", body: `${"😀".repeat(1_000)}\nsecond`, text: "" }
      const { payload } = yield* event(ours, { rendered: untitled })
      const { custom_details: details, summary } = Object(payload)
      assert.isAtMost(summary.length, 1_024)
      assert.match(summary, /^(?:😀)+…$/u)
      assert.deepStrictEqual(details, { body: untitled.body })
      const late = yield* event(ours, { rendered: { ...untitled, body: "\n \r\n Disk full\nof db-1" } })
      assert.strictEqual(Object(late["payload"]).summary, "Disk full", "PagerDuty refuses an empty one")
      const actions = [
        { content: "Runbook", href: "https://example.com/runbook" },
        { content: "App", href: "acme://open" },
        { content: "Script", href: "javascript:alert(1)" }
      ]
      const { links } = yield* event(ours, { rendered: { ...rendered, actions } })
      assert.deepStrictEqual(links, [{ href: "https://example.com/runbook", text: "Runbook" }])
      assert.notProperty(yield* event(ours), "links")
    }))
})
