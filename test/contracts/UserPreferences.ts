import type { RecipientPreferences, TopicSetting } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { type Owner, UserPreferences } from "#src/people/UserPreferences.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"

const out: TopicSetting = { status: "OPTED_OUT", has_custom_routing: false, custom_routing: [] }
const chosen: TopicSetting = { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["inbox", "email"] }

const ada = (scope: Scope, tenantId?: string): Owner => ({ scope, userId: Fixture.user, tenantId })

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const overridden = yield* OverriddenTopics
  return {
    scope,
    users: yield* UserPreferences,
    legacy: yield* LegacyPreferences,
    profiles: yield* Profiles,
    catalogue: yield* PreferenceCatalogue,
    overridden,
    said: (scope: Scope, tenantId?: string) =>
      Effect.map(overridden.of(ada(scope, tenantId)), ({ overrides }) => overrides)
  }
})

const legacy: RecipientPreferences = {
  notifications: {
    ...Object.fromEntries([["__proto__", { status: "OPTED_OUT" as const }]]),
    "nt \u0000": { rules: [{ type: "snooze", until: "2030-01-01T00:00:00Z" }] }
  },
  categories: { ps: { status: "OPTED_IN", channel_preferences: [{ channel: "push" }] } }
}

/** What every store of what users and recipients said promises. */
export const userPreferencesContract = <E>(
  name: string,
  stores: Layer.Layer<UserPreferences | LegacyPreferences | Profiles | PreferenceCatalogue | OverriddenTopics, E>
) =>
  layer(stores)(`UserPreferences: ${name}`, (it) => {
    it.effect("what a user says in a tenant, and outside of one, is kept apart", () =>
      Effect.gen(function*() {
        const { said, scope, users } = yield* start
        yield* users.put(ada(scope), [{ topicId: "b", setting: out }, {
          topicId: "a",
          setting: out
        }])
        yield* users.put(ada(scope, "acme"), [{ topicId: "a", setting: chosen }])
        assert.deepStrictEqual(yield* said(scope), [
          { topicId: "a", setting: out },
          { topicId: "b", setting: out }
        ])
        assert.deepStrictEqual(yield* said(scope, "acme"), [{ topicId: "a", setting: chosen }])
        const found = yield* Effect.all([
          users.find(ada(scope, "acme"), "a"),
          users.find(ada(scope), "a"),
          users.find(ada(scope, "other"), "b"),
          users.find({ scope, userId: UserId.make("bob"), tenantId: "acme" }, "a")
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(found, [
          { topicId: "a", inTenant: chosen, own: out },
          { topicId: "a", inTenant: undefined, own: out },
          { topicId: "b", inTenant: undefined, own: out },
          { topicId: "a", inTenant: undefined, own: undefined }
        ])
      }))

    it.effect("put leaves other topics alone, and the last word on a topic counts", () =>
      Effect.gen(function*() {
        const { said, scope, users } = yield* start
        yield* users.put(ada(scope), [{ topicId: "a", setting: out }])
        yield* users.put(ada(scope), [
          { topicId: "b", setting: out },
          { topicId: "b", setting: chosen }
        ])
        yield* users.put(ada(scope), [])
        assert.deepStrictEqual(yield* said(scope), [
          { topicId: "a", setting: out },
          { topicId: "b", setting: chosen }
        ])
      }))

    it.effect("merge leaves what is not said, of the topic and of others; two at once are both heard", () =>
      Effect.gen(function*() {
        const { said, scope, users } = yield* start
        yield* users.merge(ada(scope, "acme"), [{ topicId: "a", setting: { status: "OPTED_OUT" } }])
        assert.deepStrictEqual(yield* said(scope, "acme"), [{ topicId: "a", setting: { status: "OPTED_OUT" } }])
        yield* users.put(ada(scope, "acme"), ["a", "b"].map((topicId) => ({ topicId, setting: chosen })))
        yield* users.merge(ada(scope, "acme"), [])
        yield* users.merge(ada(scope, "acme"), [{ topicId: "a", setting: { status: "OPTED_OUT" } }])
        assert.deepStrictEqual(yield* said(scope, "acme"), [
          { topicId: "a", setting: { ...chosen, status: "OPTED_OUT" } },
          { topicId: "b", setting: chosen }
        ])
        const routed = { has_custom_routing: true, custom_routing: ["sms" as const] }
        const topics = Array.from({ length: 10 }, (_, n) => `c${n}`)
        yield* users.put(ada(scope), topics.map((topicId) => ({ topicId, setting: out })))
        yield* Effect.forEach(topics, (topicId) =>
          Effect.all([
            users.merge(ada(scope), [{ topicId, setting: { status: "OPTED_OUT", ...routed } }]),
            users.merge(ada(scope), [{ topicId, setting: { status: "OPTED_OUT" } }])
          ], { concurrency: "unbounded" }), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          (yield* said(scope)).map(({ setting }) => setting),
          topics.map(() => ({ ...out, ...routed }))
        )
      }))

    it.effect("replace leaves nothing else, there, and tells what went", () =>
      Effect.gen(function*() {
        const { said, scope, users } = yield* start
        yield* users.put(ada(scope), ["c", "a", "b"].map((topicId) => ({ topicId, setting: out })))
        yield* users.put(ada(scope, "acme"), [{ topicId: "a", setting: out }])
        assert.deepStrictEqual(
          yield* users.replace(ada(scope), [{ topicId: "b", setting: chosen }], [
            "a",
            "b",
            "c",
            "d"
          ]),
          ["a", "c"]
        )
        assert.deepStrictEqual(yield* said(scope), [{ topicId: "b", setting: chosen }])
        assert.deepStrictEqual(yield* users.replace(ada(scope), [], ["b"]), ["b"])
        assert.deepStrictEqual(yield* said(scope), [])
        assert.lengthOf(yield* said(scope, "acme"), 1)
      }))

    it.effect("replace leaves what it was not asked about", () =>
      Effect.gen(function*() {
        const { said, scope, users } = yield* start
        yield* users.put(ada(scope), ["archived", "b"].map((topicId) => ({ topicId, setting: out })))
        assert.deepStrictEqual(yield* users.replace(ada(scope), [], ["b", "c"]), ["b"])
        assert.deepStrictEqual(yield* said(scope), [{ topicId: "archived", setting: out }])
      }))

    it.effect("replacements made at once leave the topics of one of them", () =>
      Effect.gen(function*() {
        const { said, scope, users } = yield* start
        yield* Effect.forEach(
          ["a", "b", "c", "d"],
          (topicId) => users.replace(ada(scope), [{ topicId, setting: out }], ["a", "b", "c", "d"]),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(yield* said(scope), 1)
      }))

    it.effect("remove forgets one topic, and again changes nothing", () =>
      Effect.gen(function*() {
        const { said, scope, users } = yield* start
        yield* users.put(ada(scope, "acme"), [{ topicId: "a", setting: out }, { topicId: "b", setting: out }])
        yield* users.remove(ada(scope), "a")
        yield* users.remove(ada(scope, "acme"), "a")
        yield* users.remove(ada(scope, "acme"), "a")
        assert.deepStrictEqual(yield* said(scope, "acme"), [{ topicId: "b", setting: out }])
      }))

    it.effect("what one user takes back or replaces, others have said still", () =>
      Effect.gen(function*() {
        const { scope, users } = yield* start
        const bob = UserId.make("bob")
        for (const user of [Fixture.user, bob]) {
          for (const tenant of [undefined, "acme"])
            yield* users.put({ scope, userId: user, tenantId: tenant }, [{ topicId: "a", setting: out }])
        }
        yield* users.remove(ada(scope), "a")
        yield* users.replace(ada(scope, "acme"), [], ["a"])
        assert.deepStrictEqual(
          yield* Effect.forEach([Fixture.user, bob], (user) =>
            users.find({ scope, userId: user, tenantId: "acme" }, "a")),
          [{ topicId: "a", inTenant: undefined, own: undefined }, { topicId: "a", inTenant: out, own: out }]
        )
      }))

    it.effect("P10: another environment's user of the same id is another user", () =>
      Effect.gen(function*() {
        const { legacy: records, profiles, said, scope, users } = yield* start
        const elsewhere = yield* start
        yield* users.put(ada(scope), [{ topicId: "a", setting: out }])
        yield* records.replace(scope, Fixture.user, legacy)
        yield* users.replace(ada(elsewhere.scope), [], ["a"])
        yield* users.remove(ada(elsewhere.scope), "a")
        assert.deepStrictEqual(yield* said(elsewhere.scope), [])
        assert.lengthOf(yield* said(scope), 1)
        assert.isUndefined((yield* profiles.person(elsewhere.scope, Fixture.user)).preferences)
      }))

    it.effect("a setting comes back as it was", () =>
      Effect.gen(function*() {
        const { scope, users } = yield* start
        for (const setting of [out, chosen, { status: "OPTED_IN" as const }]) {
          yield* users.put(ada(scope, "a' \"b"), [{ topicId: "t", setting }])
          assert.deepStrictEqual((yield* users.find(ada(scope, "a' \"b"), "t")).inTenant, setting)
        }
      }))

    it.effect("what a user said is read with the legacy words and the catalogue as it is since the last change", () =>
      Effect.gen(function*() {
        const { catalogue, legacy: records, overridden, scope, users } = yield* start
        const read = overridden.of(ada(scope))
        const isCurrent = Effect.gen(function*() {
          const { sections } = yield* read
          assert.deepStrictEqual(sections, yield* catalogue.sections(scope))
          return sections
        })
        assert.deepStrictEqual(yield* read, { overrides: [], legacy: undefined, sections: [] })
        const { id } = yield* catalogue.createSection(scope, { name: "Account" })
        assert.lengthOf(yield* isCurrent, 1)
        const topic = yield* catalogue.createTopic(scope, id, { name: "News", default_status: "OPTED_IN" })
        yield* isCurrent
        yield* catalogue.replaceTopic(scope, id, topic.id, { name: "Old", default_status: "OPTED_OUT" })
        yield* isCurrent
        yield* catalogue.replaceSection(scope, id, { name: "Other", has_custom_routing: true })
        const before = yield* isCurrent
        yield* users.put(ada(scope), [{ topicId: topic.id, setting: chosen }, {
          topicId: "__proto__",
          setting: out
        }])
        yield* users.put(ada(scope, "acme"), [{ topicId: topic.id, setting: out }])
        yield* records.replace(scope, Fixture.user, legacy)
        const said = yield* read
        assert.deepStrictEqual(said, {
          overrides: [{ topicId: "__proto__", setting: out }, { topicId: topic.id, setting: chosen }],
          legacy,
          sections: before
        })
        yield* catalogue.archiveTopic(scope, id, topic.id)
        yield* isCurrent
        yield* catalogue.archiveSection(scope, id)
        assert.deepStrictEqual(yield* isCurrent, [])
      }))

    it.effect("legacy preferences are read with the profile, and live without one", () =>
      Effect.gen(function*() {
        const { legacy: records, profiles, scope } = yield* start
        yield* records.replace(scope, Fixture.user, legacy)
        assert.deepStrictEqual(yield* profiles.person(scope, Fixture.user), {
          profile: Option.none(),
          preferences: legacy
        })
        assert.deepStrictEqual(yield* profiles.document(scope, Fixture.user), Option.none())
        yield* profiles.replace(scope, Fixture.user, { a: 1 })
        assert.deepStrictEqual(yield* profiles.person(scope, Fixture.user), {
          profile: Option.some({ a: 1 }),
          preferences: legacy
        })
        assert.deepStrictEqual(
          Option.map(yield* profiles.document(scope, Fixture.user), (text) =>
            JSON.parse(text)),
          Option.some({ profile: { a: 1 }, preferences: legacy })
        )
        yield* profiles.remove(scope, Fixture.user)
        yield* records.replace(scope, Fixture.user, { categories: {} })
        assert.deepStrictEqual((yield* profiles.person(scope, Fixture.user)).preferences, { categories: {} })
      }))

    it.effect("legacy preferences are patched, all operations or none", () =>
      Effect.gen(function*() {
        const { legacy: records, profiles, scope } = yield* start
        yield* records.patch(scope, Fixture.user, [
          { op: "add", path: "/notifications/n", value: { status: "OPTED_OUT" } }
        ])
        const patched = { notifications: { n: { status: "OPTED_OUT" as const } }, categories: {} }
        assert.deepStrictEqual((yield* profiles.person(scope, Fixture.user)).preferences, patched)
        const refused = yield* Effect.flip(records.patch(scope, Fixture.user, [
          { op: "remove", path: "/notifications/n" },
          { op: "add", path: "/categories/c", value: { status: "NO" } }
        ]))
        assert.strictEqual(refused._tag, "LegacyPreferencesRefused")
        assert.deepStrictEqual((yield* profiles.person(scope, Fixture.user)).preferences, patched)
        yield* Effect.flip(records.patch(scope, UserId.make("nobody"), [{ op: "remove", path: "/x" }]))
        assert.isUndefined((yield* profiles.person(scope, UserId.make("nobody"))).preferences)
      }))
  })
