import { ListPreferences } from "#src/people/ListPreferences.ts"
import { Lists } from "#src/people/Lists.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { ListId } from "#schemas/List.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { ada, choose, every, out, start, stores, unsubscribed } from "#test/src/delivery/pipeline/PreferredSends.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

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

  it.effect("a topic that does not exist is told of, however the message ends", () =>
    Effect.gen(function*() {
      const { about, decided, topic } = yield* start
      const toldOf = (...message: Parameters<typeof decided>) =>
        decided(...message).pipe(
          Effect.map(({ unknown }) => [unknown]),
          Effect.catchTag("Refusal", ({ type, unknown }) => Effect.succeed([unknown, type]))
        )
      const unknown = { topic: "gone" }
      const push: Instructions = { routing: { method: "single", channels: ["push"] } }
      const optedOut = { ...ada, preferences: { notifications: { gone: { status: "OPTED_OUT" } } } } as const
      assert.deepStrictEqual(yield* toldOf(ada, about("gone")), [unknown])
      assert.deepStrictEqual(yield* toldOf(optedOut, about("gone")), [unknown, "UNDELIVERABLE"])
      assert.deepStrictEqual(yield* toldOf(ada, { ...about("gone"), ...push }), [unknown, "UNROUTABLE"])
      assert.deepStrictEqual(yield* toldOf(ada, about(yield* topic("OPTED_IN"))), [undefined])
      assert.deepStrictEqual(yield* toldOf(ada, about("")), [undefined])
    }).pipe(Effect.provide(stores)))
})
