import { UserId } from "#schemas/Profile.ts"
import { type OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue, type SectionRecord } from "#src/people/PreferenceCatalogue.ts"
import * as PreferenceLinks from "#src/people/PreferenceLinks.ts"
import * as PreferencePage from "#src/people/PreferencePage.ts"
import { type Profiles } from "#src/people/Profiles.ts"
import * as TenantPreferences from "#src/people/TenantPreferences.ts"
import { type Tenants } from "#src/people/Tenants.ts"
import * as TopicPreferences from "#src/people/TopicPreferences.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"

type Services =
  | OverriddenTopics
  | PreferenceCatalogue
  | Profiles
  | SqlClient.SqlClient
  | Tenants
  | UserPreferences

const userId = UserId.make("ada")

/** A catalogue of three topics: another version wrote `later`, and the section of `hidden`. */
const planted = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const sql = yield* SqlClient.SqlClient
  const section = `{"name":"Section"}`
  const topic = `{"name":"Topic","default_status":"OPTED_IN"}`
  yield* sql`insert into preference_sections (scope, id, section, created_at)
    values (${scope}, 'known', ${section}, 0), (${scope}, 'unknown', '[]', 0)`
  yield* sql`insert into preference_topics (scope, id, section_id, topic, created_at, updated_at) values
    (${scope}, 'news', 'known', ${topic}, 0, 0), (${scope}, 'later', 'known', '[]', 0, 0),
    (${scope}, 'hidden', 'unknown', ${topic}, 0, 0)`
  return { scope, userId, tenantId: undefined }
})

/** Topics that do not decode and what users say of them, over any Postgres. */
export const unreadableTopics = <E>(name: string, stores: Layer.Layer<Services, E>) => {
  const preferences = Layer.merge(TopicPreferences.layer, PreferencePage.layer).pipe(
    Layer.provide([TenantPreferences.layer, secretKey(7)]),
    Layer.provideMerge(stores)
  )
  layer(preferences)(`Topics that do not decode: ${name}`, (it) => {
    it.effect("X1: whoever opts out of one is not told that it does not exist, and of others it is stored", () =>
      Effect.gen(function*() {
        const owner = yield* planted
        const topics = yield* TopicPreferences.TopicPreferences
        const out = (topicId: string) => ({ topicId, setting: { status: "OPTED_OUT" } as const })
        for (const topicId of ["later", "hidden"]) {
          const calls = [
            topics.get(owner, topicId),
            topics.put(owner, out(topicId)),
            topics.update(owner, [out(topicId)]),
            topics.replace(owner, [out(topicId)])
          ]
          for (const call of calls) assert.isTrue(Exit.hasDies(yield* Effect.exit(call)), topicId)
        }
        yield* topics.put(owner, out("news"))
        assert.deepStrictEqual((yield* topics.list(owner)).map(({ status, topicId }) => [topicId, status]), [
          ["news", "OPTED_OUT"]
        ])
      }))

    it.effect("X1: a section with one is read and replaced, and shows the others", () =>
      Effect.gen(function*() {
        const { scope } = yield* planted
        const catalogue = yield* PreferenceCatalogue
        const told = ({ section, topics }: SectionRecord) => [section.name, topics.map(({ id }) => id)]
        assert.deepStrictEqual(told(yield* catalogue.section(scope, "known")), ["Section", ["news"]])
        const replaced = yield* catalogue.replaceSection(scope, "known", { name: "Renamed" })
        assert.deepStrictEqual(told(replaced), ["Renamed", ["news"]])
        assert.deepStrictEqual(told(yield* catalogue.section(scope, "known")), ["Renamed", ["news"]])
        const archived = yield* Effect.flip(catalogue.archiveSection(scope, "known"))
        assert.strictEqual(archived._tag, "SectionNotEmpty")
      }))

    it.effect("X1: a page of preferences that was shown with one does not take its answer without it", () =>
      Effect.gen(function*() {
        const owner = yield* planted
        const page = yield* PreferencePage.PreferencePage
        const { preferences } = yield* Effect.provide(PreferenceLinks.tokens, secretKey(7))
        const token = preferences(owner)
        const { sections } = yield* page.look(token)
        assert.deepStrictEqual(sections.flatMap(({ topics }) => topics.map(({ id }) => id)), ["news"])
        const out = (topicId: string) => ({ topicId, isIn: false, channels: new Set<string>() })
        const exit = yield* Effect.exit(page.choose(token, [out("news"), out("later")]))
        assert.isTrue(Exit.hasDies(exit))
        yield* page.choose(token, [out("news")])
        const users = yield* UserPreferences
        const { own } = yield* users.find({ scope: owner.scope, userId, tenantId: undefined }, "news")
        assert.strictEqual(own?.status, "OPTED_OUT")
      }))
  })
}
