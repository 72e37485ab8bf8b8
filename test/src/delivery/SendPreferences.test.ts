import * as Fake from "#layers/providers/Fake.ts"
import type { PreferenceSection, PreferenceTopic, TopicSetting } from "#schemas/Preferences.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { Templates } from "#src/content/Templates.ts"
import { fromRow, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import { candidates } from "#src/delivery/attempts/Plan.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import { Lists } from "#src/people/Lists.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { ListId } from "#schemas/List.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { template } from "#test/contracts/Templates.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const stores = Layer.mergeAll(
  Stores.layer,
  Fake.layer([Fake.nothing("smtp", "email"), Fake.nothing("twilio", "sms"), Fake.nothing("inbox", "inbox")])
).pipe(Layer.merge(Layer.mock(DeviceTokens, { reachable: () => Effect.succeed([]) })))

const all: Instructions = {
  routing: { method: "all", channels: ["email", "twilio", { method: "single", channels: ["inbox"] }] }
}
const ada = { user_id: "ada", email: "ada@example.com", phone_number: "+14155550123" }

const out: TopicSetting = { status: "OPTED_OUT" }
const choose = (...channels: ReadonlyArray<"email" | "sms" | "inbox" | "push">): TopicSetting => ({
  status: "OPTED_IN",
  has_custom_routing: true,
  custom_routing: channels
})

const start = Effect.gen(function*() {
  const world = yield* Fixture.world
  const { scope } = world
  const catalogue = yield* PreferenceCatalogue
  const users = yield* UserPreferences
  const { decide } = yield* Stages.make
  const section = yield* catalogue.createSection(scope, { name: "Account" })
  const topic = (status: TopicSetting["status"]) =>
    Effect.map(catalogue.createTopic(scope, section.id, { name: status, default_status: status }), ({ id }) => id)

  /** The channels that the message goes through, or its end. */
  const send = Effect.fnUntraced(
    function*(recipient: Recipient, more: Instructions = {}, attempts: OpenMessage["attempts"] = []) {
      const { events: _, ...message } = Fixture.message(world)
      const open = yield* Effect.orDie(fromRow({ ...message, recipient: "{}", instructions: "{}" }))
      const content = more.template === undefined ? { content: { title: "a", body: "b" } } : {}
      return yield* decide({ ...open, recipient, instructions: { ...all, ...content, ...more }, attempts }).pipe(
        Effect.map(({ plan, preferences }) => ({
          channels: candidates(plan).map(({ channel }) => channel),
          decision: preferences
        })),
        Effect.catchTag(
          "Refusal",
          ({ decision, detail, reason, type }) => Effect.succeed({ refused: [type, reason, detail], decision })
        )
      )
    }
  )
  const about = (topicId: string): Instructions => ({ preferences: { subscription_topic_id: topicId } })
  const say = (topicId: string, setting: TopicSetting, tenantId?: string) =>
    users.put(scope, Fixture.user, tenantId, [{ topicId, setting }])
  /** A topic with terms of its own, in a section that may have some too. */
  const limited = Effect.fnUntraced(function*(terms: Partial<PreferenceTopic>, of: Partial<PreferenceSection> = {}) {
    const { id } = yield* catalogue.createSection(scope, { name: "Limited", ...of })
    return yield* catalogue.createTopic(scope, id, { name: "n", default_status: "OPTED_IN", ...terms })
  })
  return { about, catalogue, limited, scope, section, send, say, topic, tenants: yield* Tenants }
})

const unsubscribed = ["UNDELIVERABLE", "UNSUBSCRIBED", "Notification opted out by user"]
const every = ["email", "sms", "inbox"]

describe("Sends by preferences", () => {
  it.effect("a message without a topic, and one of a topic nobody has, are not held to any", () =>
    Effect.gen(function*() {
      const { about, send } = yield* start
      assert.deepStrictEqual(yield* send(ada), { channels: every, decision: undefined })
      assert.deepStrictEqual(yield* send(ada, about("pt_none")), { channels: every, decision: undefined })
    }).pipe(Effect.provide(stores)))

  it.effect("a message that no preference can be of asks no store (performance)", () =>
    Effect.gen(function*() {
      const { send } = yield* start
      assert.deepInclude(yield* send(ada), { channels: every })
      assert.deepInclude(yield* send({ ...ada, list_id: "news" }), { channels: every })
    }).pipe(Effect.provide(Layer.mergeAll(
      stores,
      Layer.mock(ListPreferences, {}),
      Layer.effect(
        PreferenceCatalogue,
        Effect.map(PreferenceCatalogue, (catalogue) => ({ ...catalogue, resolve: () => Effect.die("asked") }))
      ).pipe(Layer.provide(stores)),
      Layer.effect(
        UserPreferences,
        Effect.map(UserPreferences, (users) => ({ ...users, find: () => Effect.die("asked") }))
      ).pipe(Layer.provide(stores))
    ))))

  it.effect("the user's word beats the default, and REQUIRED beats the user's", () =>
    Effect.gen(function*() {
      const { about, say, send, topic } = yield* start
      const optedIn = yield* topic("OPTED_IN")
      const optedOut = yield* topic("OPTED_OUT")
      const required = yield* topic("REQUIRED")
      assert.deepStrictEqual(yield* send(ada, about(optedIn)), {
        channels: every,
        decision: {
          outcome: "KEPT",
          topic_id: optedIn,
          status: "OPTED_IN",
          rule: { source: "topic_default", id: optedIn }
        }
      })
      assert.deepInclude(yield* send(ada, about(optedOut)), {
        refused: ["UNDELIVERABLE", "OPT_IN_REQUIRED", "The recipient has not opted in to the notification"]
      })
      for (const id of [optedIn, required]) yield* say(id, out)
      yield* say(optedOut, { status: "OPTED_IN" })
      const dropped = yield* send(ada, about(optedIn))
      assert.deepStrictEqual(dropped, {
        refused: unsubscribed,
        decision: {
          outcome: "DROPPED",
          topic_id: optedIn,
          status: "OPTED_OUT",
          rule: { source: "user", id: optedIn },
          reason: "UNSUBSCRIBED"
        }
      })
      assert.deepInclude(yield* send(ada, about(optedOut)), { channels: every })
      assert.deepInclude(yield* send(ada, about(required)), { channels: every })
      assert.deepInclude(yield* send({ email: "x@example.com" }, about(optedIn)), { channels: every })
    }).pipe(Effect.provide(stores)))

  it.effect("inside a tenant its own word comes first, then its ancestors' nearest default", () =>
    Effect.gen(function*() {
      const { about, say, scope, send, tenants, topic } = yield* start
      const id = yield* topic("OPTED_IN")
      yield* tenants.replace(scope, "top", { name: "Top" })
      yield* tenants.replace(scope, "acme", { name: "A", parent_tenant_id: "top" })
      const acme = { ...ada, tenant_id: "acme" }
      yield* tenants.setPreference(scope, "top", id, out)
      assert.deepInclude((yield* send(acme, about(id))).decision, {
        reason: "OPT_IN_REQUIRED",
        rule: { source: "tenant_default", id: "top" }
      })
      yield* tenants.setPreference(scope, "acme", id, choose("inbox"))
      assert.deepInclude(yield* send(acme, about(id)), { channels: ["inbox"] })
      yield* say(id, out)
      assert.deepInclude(yield* send(acme, about(id)), { refused: unsubscribed })
      yield* say(id, choose("email"), "acme")
      assert.deepInclude(yield* send(acme, about(id)), { channels: ["email"] })
      yield* say(id, out, "acme")
      yield* tenants.setPreference(scope, "acme", id, { status: "REQUIRED" })
      assert.deepInclude(yield* send(acme, about(id)), { channels: every })
      assert.deepInclude(yield* send(ada, about(id)), { refused: unsubscribed })
    }).pipe(Effect.provide(stores)))

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

  it.effect("the topic of a template counts, unless the message names its own; a chosen channel beats its conditions", () =>
    Effect.gen(function*() {
      const { about, limited, say, scope, send, topic } = yield* start
      const id = yield* topic("OPTED_IN")
      const other = yield* topic("OPTED_IN")
      const strategy: RoutingStrategy = {
        name: "s",
        routing: { method: "all", channels: [{ channel: "email", if: "false" }, "sms"] },
        channels: { sms: { if: "false" } }
      }
      const made = yield* (yield* Strategies).create(scope, strategy)
      const { id: templateId } = yield* (yield* Templates).create(scope, {
        template: { ...template("t"), subscription: { topic_id: id }, routing: { strategy_id: made.id } },
        alias: undefined,
        publish: true
      })
      const sent: Instructions = { template: templateId, routing: null }
      const filtered = { refused: ["FILTERED", "FILTERED", "A condition of the message left no channel"] }
      assert.deepInclude(yield* send(ada, sent), filtered)
      const bound = yield* limited({ routing_options: ["email", "sms"] })
      assert.deepInclude(yield* send(ada, { ...sent, ...about(bound.id) }), filtered, "the topic's channels do not")
      yield* say(id, choose("email", "sms"))
      assert.deepInclude(yield* send(ada, sent), { channels: ["email", "sms"] })
      assert.deepInclude(yield* send(ada, { ...sent, channels: { sms: { if: "false" } } }), { channels: ["email"] })
      yield* say(id, out)
      assert.deepInclude(yield* send(ada, sent), { refused: unsubscribed })
      assert.deepInclude((yield* send(ada, { ...sent, ...about(other) })).decision, { outcome: "KEPT" })
      const mistyped = yield* send(ada, { ...sent, ...about("pt_none") })
      assert.deepInclude(mistyped, { refused: unsubscribed })
      assert.deepInclude(mistyped.decision, { topic_id: id, rule: { source: "user", id } })
    }).pipe(Effect.provide(stores)))

  it.effect("a word for the template's topic says nothing of a message that names another", () =>
    Effect.gen(function*() {
      const { about, scope, send, topic } = yield* start
      const id = yield* topic("OPTED_IN")
      const other = yield* topic("OPTED_IN")
      const { id: templateId } = yield* (yield* Templates).create(scope, {
        template: { ...template("t"), subscription: { topic_id: id } },
        alias: undefined,
        publish: true
      })
      yield* (yield* LegacyPreferences).replace(scope, Fixture.user, { notifications: { [id]: out } })
      assert.deepInclude(yield* send(ada, { template: templateId }), { refused: unsubscribed })
      assert.deepInclude(yield* send(ada, { template: templateId, ...about("pt_none") }), { refused: unsubscribed })
      assert.deepInclude(yield* send(ada, { template: templateId, ...about(other) }), { channels: every })
    }).pipe(Effect.provide(stores)))

  it.effect("an opt-out of a template counts by its id and by its alias, whichever of them the send names", () =>
    Effect.gen(function*() {
      const { scope, send } = yield* start
      const legacy = yield* LegacyPreferences
      const { id } = yield* (yield* Templates).create(scope, { template: template("t"), alias: "news", publish: true })
      for (const name of [id, "news"]) {
        yield* legacy.replace(scope, Fixture.user, { notifications: { [name]: out } })
        assert.deepInclude(yield* send(ada, { template: id }), { refused: unsubscribed })
        assert.deepInclude(yield* send(ada, { template: "news" }), { refused: unsubscribed })
      }
    }).pipe(Effect.provide(stores)))

  it.effect("legacy entries count by template, topic and section; a snooze while it lasts", () =>
    Effect.gen(function*() {
      const { about, scope, section, send, topic } = yield* start
      const id = yield* topic("OPTED_IN")
      const legacy = yield* LegacyPreferences
      const { id: templateId } = yield* (yield* Templates).create(scope, {
        template: template("t"),
        alias: undefined,
        publish: true
      })
      yield* legacy.replace(scope, Fixture.user, { notifications: { [templateId]: out } })
      assert.deepInclude(yield* send(ada, { template: templateId }), { refused: unsubscribed })
      assert.deepInclude(yield* send(ada), { channels: every, decision: undefined })
      yield* legacy.replace(scope, Fixture.user, { categories: { [section.id]: out } })
      assert.deepInclude(yield* send(ada, about(id)), { refused: unsubscribed })
      assert.deepInclude(yield* send(ada, { template: templateId }), { decision: undefined })
      const at = (ms: number) => DateTime.formatIso(DateTime.makeUnsafe(ms))
      yield* legacy.replace(scope, Fixture.user, {
        notifications: { [id]: { rules: [{ type: "snooze", start: at(1_000), until: at(2_000) }] } }
      })
      assert.deepInclude(yield* send(ada, about(id)), { channels: every })
      yield* TestClock.adjust("1 second")
      assert.deepInclude((yield* send(ada, about(id))).decision, {
        reason: "UNSUBSCRIBED",
        rule: { source: "recipient", id, snoozed: true }
      })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* send(ada, about(id)), { channels: every })
    }).pipe(Effect.provide(stores)))

  it.effect("the send's own word comes first; a subscription's and then a list's after the recipient's", () =>
    Effect.gen(function*() {
      const { about, say, scope, send, topic } = yield* start
      const id = yield* topic("OPTED_IN")
      const lists = yield* Lists
      const listed = { ...ada, list_id: "news" }
      const list = ListId.make("news")
      yield* lists.put(scope, list, { name: "News", preferences: { notifications: { [id]: out } } })
      assert.deepInclude((yield* send(listed, about(id))).decision, {
        reason: "OPT_IN_REQUIRED",
        rule: { source: "list", id }
      })
      yield* lists.subscribe(scope, list, [{
        userId: Fixture.user,
        preferences: { notifications: { [id]: { status: "OPTED_IN", channel_preferences: [{ channel: "sms" }] } } }
      }])
      assert.deepInclude(yield* send(listed, about(id)), { channels: ["sms"] })
      yield* say(id, out)
      assert.deepInclude(yield* send(listed, about(id)), { refused: unsubscribed })
      const own = (source: "list" | "recipient") => ({
        ...listed,
        preferences: { notifications: { [id]: { status: "OPTED_IN" as const, source } } }
      })
      assert.deepInclude((yield* send(own("recipient"), about(id))).decision, {
        outcome: "KEPT",
        rule: { source: "message", id }
      })
      assert.deepInclude(yield* send(own("list"), about(id)), { refused: unsubscribed })
    }).pipe(Effect.provide(stores)))

  it.effect("who opts out between two tries gets no other; where a call may have arrived, no other channel", () =>
    Effect.gen(function*() {
      const { about, say, send, topic } = yield* start
      const id = yield* topic("OPTED_IN")
      yield* say(id, out)
      const rejected = Fixture.attempt(1, "rejected", { kind: "Unavailable" })
      assert.deepInclude(yield* send(ada, about(id), [rejected]), { refused: unsubscribed })
      assert.deepInclude(yield* send(ada, about(id), [rejected, Fixture.attempt(2, "unknown")]), {
        channels: ["email"]
      })
    }).pipe(Effect.provide(stores)))

  it.effect("an archived topic still holds for what names it", () =>
    Effect.gen(function*() {
      const { about, catalogue, say, scope, section, send, topic } = yield* start
      const id = yield* topic("OPTED_IN")
      yield* say(id, out)
      yield* catalogue.archiveTopic(scope, section.id, id)
      assert.deepInclude(yield* send(ada, about(id)), { refused: unsubscribed })
    }).pipe(Effect.provide(stores)))
})
