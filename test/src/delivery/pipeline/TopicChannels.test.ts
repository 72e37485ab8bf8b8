import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { ada, choose, every, out, start, stores, unsubscribed } from "#test/src/delivery/pipeline/PreferredSends.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Sends by the channels of a topic", () => {
  it.effect("chosen channels are all there are, in the message's order; none left is no message", () =>
    Effect.gen(function*() {
      const { about, say, send, topic } = yield* start
      const id = yield* topic("OPTED_IN")
      yield* say(id, choose("inbox", "email"))
      assert.deepStrictEqual(yield* send(ada, about(id)), {
        channels: ["email", "inbox"],
        decision: {
          outcome: "KEPT",
          topic_id: id,
          status: "OPTED_IN",
          rule: { source: "user", id },
          channels: { kept: ["email", "inbox"], dropped: ["sms"], rule: { source: "user", id } }
        }
      })
      yield* say(id, choose("push"))
      assert.deepInclude(yield* send(ada, about(id)), { refused: unsubscribed })
      const required = yield* topic("REQUIRED")
      yield* say(required, choose("push"))
      assert.deepInclude(yield* send(ada, about(required)), { channels: every })
    }).pipe(Effect.provide(stores)))

  it.effect("a topic goes through its routing options only, or its section's, whatever is chosen", () =>
    Effect.gen(function*() {
      const { about, limited, say, send } = yield* start
      const { id } = yield* limited({ routing_options: ["sms", "email"] })
      assert.deepStrictEqual(yield* send(ada, about(id)), {
        channels: ["email", "sms"],
        decision: {
          outcome: "KEPT",
          topic_id: id,
          status: "OPTED_IN",
          rule: { source: "topic_default", id },
          channels: { kept: ["email", "sms"], dropped: ["inbox"], rule: { source: "topic_default", id } }
        }
      })
      yield* say(id, choose("inbox", "sms"))
      assert.deepStrictEqual((yield* send(ada, about(id))).decision?.channels, {
        kept: ["sms"],
        dropped: ["email", "inbox"],
        rule: { source: "user", id }
      })
      yield* say(id, choose("inbox"))
      assert.deepInclude(yield* send(ada, about(id)), { refused: unsubscribed })

      const shared = { has_custom_routing: true, routing_options: ["inbox" as const] }
      const inherits = yield* limited({ routing_options: [] }, shared)
      assert.deepStrictEqual((yield* send(ada, about(inherits.id))).decision?.channels, {
        kept: ["inbox"],
        dropped: ["email", "sms"],
        rule: { source: "section_default", id: inherits.sectionId }
      })
      const own = yield* limited({ routing_options: ["sms"] }, shared)
      assert.deepInclude(yield* send(ada, about(own.id)), { channels: ["sms"] })
      const off = yield* limited({}, { ...shared, has_custom_routing: false })
      assert.deepInclude(yield* send(ada, about(off.id)), { channels: every })

      const none = yield* limited({ routing_options: ["push"] })
      assert.deepInclude(yield* send(ada, about(none.id)), {
        refused: ["UNDELIVERABLE", "NO_CHANNELS", "The topic goes through none of the channels of the message"]
      })
      const required = yield* limited({ routing_options: ["push"], default_status: "REQUIRED" })
      assert.deepInclude(yield* send(ada, about(required.id)), { channels: every })
    }).pipe(Effect.provide(stores)))

  it.effect("what a topic does not let its recipients say does not count, and the decision tells", () =>
    Effect.gen(function*() {
      const { about, limited, say, scope, send } = yield* start
      const legacy = yield* LegacyPreferences
      const { id } = yield* limited({ allowed_preferences: ["snooze"] })
      yield* say(id, choose("inbox"))
      assert.deepStrictEqual(yield* send(ada, about(id)), {
        channels: every,
        decision: {
          outcome: "KEPT",
          topic_id: id,
          status: "OPTED_IN",
          rule: { source: "user", id },
          withheld: [{ source: "user", id, preference: "channel_preferences" }]
        }
      })
      const sent = {
        ...ada,
        preferences: { notifications: { [id]: { channel_preferences: [{ channel: "sms" as const }] } } }
      }
      assert.deepInclude(yield* send(sent, about(id)), { channels: ["sms"] })
      const other = yield* limited({ allowed_preferences: ["channel_preferences"] })
      const entry = { rules: [{ type: "snooze" }], channel_preferences: [{ channel: "email" as const }] }
      yield* legacy.replace(scope, Fixture.user, { notifications: { [other.id]: entry, [id]: entry } })
      const { channels, decision } = { channels: undefined, ...(yield* send(ada, about(other.id))) }
      assert.deepStrictEqual(channels, ["email"])
      assert.deepStrictEqual(decision?.withheld, [{ source: "recipient", id: other.id, preference: "snooze" }])
      // An opt-out is never withheld.
      yield* say(id, out)
      assert.deepInclude(yield* send(ada, about(id)), { refused: unsubscribed })
    }).pipe(Effect.provide(stores)))
})
