import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { Templates } from "#src/content/Templates.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { Lists } from "#src/people/Lists.ts"
import { ListId } from "#schemas/List.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { template } from "#test/contracts/TemplateFixture.ts"
import { ada, choose, every, out, start, stores, unsubscribed } from "#test/src/delivery/pipeline/PreferredSends.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"

describe("Sends by the preferences of a template", () => {
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

  it.effect("a recipient's own word for a template, by its id, its alias or the name it was sent with, counts without a topic", () =>
    Effect.gen(function*() {
      const { scope, send } = yield* start
      const { id } = yield* (yield* Templates).create(scope, {
        template: template("t"),
        alias: "welcome",
        publish: true
      })
      for (const name of [id, "welcome"]) {
        const said = { ...ada, preferences: { notifications: { [name]: { status: "OPTED_OUT" as const } } } }
        for (const sent of [id, "welcome"])
          assert.deepInclude(yield* send(said, { template: sent }), { refused: unsubscribed })
      }
      const other = { ...ada, preferences: { notifications: { other: { status: "OPTED_OUT" as const } } } }
      assert.deepInclude(yield* send(other, { template: id }), { channels: every })
    }).pipe(Effect.provide(stores)))

  it.effect("a mail's header offers to leave a topic that says so, and that can be left", () =>
    Effect.gen(function*() {
      const { about, decided, limited } = yield* start
      const terms = [
        [{ include_unsubscribe_header: true }, true],
        [{ include_unsubscribe_header: false }, false],
        [{}, false],
        [{ include_unsubscribe_header: true, default_status: "REQUIRED" }, false]
      ] as const
      for (const [term, isInHeader] of terms) {
        const { id } = yield* limited(term)
        assert.deepStrictEqual((yield* decided(ada, about(id))).topic, { id, isInHeader })
      }
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

  it.effect("a list's word for a template, and its subscriber's, count without a topic", () =>
    Effect.gen(function*() {
      const { scope, send } = yield* start
      const lists = yield* Lists
      const list = ListId.make("news")
      const { id } = yield* (yield* Templates).create(scope, { template: template("t"), alias: "news", publish: true })
      const listed = { ...ada, list_id: list }
      for (const name of [id, "news"]) {
        const preferences = { notifications: { [name]: out } }
        yield* lists.put(scope, list, { name: "News", preferences })
        assert.deepInclude((yield* send(listed, { template: id })).decision, {
          reason: "OPT_IN_REQUIRED",
          rule: { source: "list", id: name }
        })
        assert.deepInclude(yield* send(ada, { template: id }), { channels: every })
        yield* lists.put(scope, list, { name: "News", preferences: undefined })
        yield* lists.putSubscription(scope, list, { userId: Fixture.user, preferences })
        assert.deepInclude(yield* send(listed, { template: id }), { refused: unsubscribed })
        yield* lists.putSubscription(scope, list, { userId: Fixture.user, preferences: undefined })
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
})
