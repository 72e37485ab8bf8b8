import type { Templates } from "#src/content/Templates.ts"
import type { Strategies } from "#src/delivery/providers/Strategies.ts"
import type { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { content } from "#test/contracts/TemplateContent.ts"
import { start, tag } from "#test/contracts/TemplateFixture.ts"
import { references } from "#test/contracts/TemplateReferences.ts"
import { versions } from "#test/contracts/TemplateVersions.ts"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, layer } from "@effect/vitest"

/** What every store of templates promises. */
export const templatesContract = <E>(
  name: string,
  stores: Layer.Layer<Templates | Strategies | PreferenceCatalogue, E>
) =>
  layer(stores)(`Templates: ${name}`, (it) => {
    versions(it)
    references(it)
    content(it)

    it.effect("an alias names one template; taken, it is refused, and nothing of the write stays", () =>
      Effect.gen(function*() {
        const { draft, make, rendered, scope, templates } = yield* start
        const one = yield* make("one", "welcome")
        const two = yield* make("two")
        assert.strictEqual(yield* tag(make("three", "welcome")), "AliasTaken")
        assert.strictEqual(
          yield* tag(templates.replace(scope, two.id, { ...draft("changed"), alias: "welcome" })),
          "AliasTaken"
        )
        assert.strictEqual(yield* rendered(two.id, "draft"), "two")
        assert.lengthOf((yield* templates.list(scope, { limit: 10, cursor: undefined })).items, 2)
        assert.strictEqual(yield* rendered("welcome", "draft"), "one")
        yield* templates.replace(scope, one.id, draft("one, again"))
        assert.strictEqual(yield* rendered("welcome", "draft"), "one, again")
        assert.strictEqual((yield* templates.resolve(scope, one.id, "draft")).alias, "welcome")
        yield* templates.replace(scope, one.id, { ...draft("one"), alias: null })
        assert.strictEqual(yield* rendered("welcome", "draft"), "TemplateNotFound")
        yield* templates.replace(scope, two.id, { ...draft("two"), alias: "welcome" })
        assert.strictEqual(yield* rendered("welcome", "draft"), "two")
      }))

    it.effect("the id of another template is no alias, not even of one that is archived: no send could mean it", () =>
      Effect.gen(function*() {
        const { draft, make, rendered, scope, templates } = yield* start
        const one = yield* make("one")
        const two = yield* make("two")
        const taking = tag(templates.replace(scope, two.id, { ...draft("changed"), alias: one.id }))
        assert.deepStrictEqual([yield* taking, yield* tag(make("three", one.id))], ["AliasTaken", "AliasTaken"])
        yield* templates.archive(scope, one.id)
        assert.strictEqual(yield* taking, "AliasTaken")
        assert.strictEqual(yield* rendered(two.id, "draft"), "two")
        yield* templates.replace(scope, two.id, { ...draft("two, again"), alias: two.id })
        assert.strictEqual(yield* rendered(two.id, "draft"), "two, again")
      }))

    it.effect("an archived template is found by readers of its versions alone, and its alias is free", () =>
      Effect.gen(function*() {
        const { both, draft, make, scope, templates } = yield* start
        const { id } = yield* make("one", "welcome", true)
        yield* templates.archive(scope, id)
        for (const name of [id, "welcome"]) {
          assert.deepStrictEqual(yield* both(name), ["TemplateNotFound", "TemplateNotFound"])
        }
        const refused = yield* Effect.all([
          tag(templates.replace(scope, id, draft("two"))),
          tag(templates.editContent(scope, id, () => Effect.succeed({ elements: [] }), false)),
          tag(templates.publish(scope, id, undefined)),
          tag(templates.archive(scope, id))
        ])
        assert.deepStrictEqual(refused, Array.from({ length: 4 }, () => "TemplateNotFound"))
        const found = yield* templates.get(scope, id, 1)
        assert.deepStrictEqual([found.template.name, found.alias], ["one", undefined])
        assert.lengthOf((yield* templates.versions(scope, id, { limit: 10, cursor: undefined })).items, 2)
        assert.lengthOf((yield* templates.list(scope, { limit: 10, cursor: undefined })).items, 0)
        yield* make("two", "welcome", true)
        assert.deepStrictEqual(yield* both("welcome"), ["two", "two"])
      }))

    it.effect("unknown templates and versions are refused", () =>
      Effect.gen(function*() {
        const { draft, make, scope, templates } = yield* start
        const { id } = yield* make("one")
        assert.deepStrictEqual(
          yield* Effect.all([
            tag(templates.get(scope, "nt_none", "draft")),
            tag(templates.get(scope, id, "published")),
            tag(templates.get(scope, id, 1)),
            tag(templates.get(scope, id, 321669910225)),
            tag(templates.publish(scope, id, 7)),
            tag(templates.publish(scope, id, "published")),
            tag(templates.replace(scope, "nt_none", draft("x"))),
            tag(templates.archive(scope, "nt_none")),
            tag(templates.versions(scope, "nt_none", { limit: 1, cursor: undefined }))
          ]),
          [
            "TemplateNotFound",
            "VersionNotFound",
            "VersionNotFound",
            "VersionNotFound",
            "VersionNotFound",
            "VersionNotFound",
            "TemplateNotFound",
            "TemplateNotFound",
            "TemplateNotFound"
          ]
        )
      }))

    it.effect("lists show names of the draft and the topic of the live version, newest first, by alias too", () =>
      Effect.gen(function*() {
        const { draft, make, scope, templates, topic } = yield* start
        const [one, two] = [yield* topic, yield* topic]
        const old = yield* make("old")
        yield* TestClock.adjust("1 second")
        const { id } = yield* templates.create(scope, {
          ...draft("live", { subscription: { topic_id: one } }),
          alias: "event",
          publish: true
        })
        yield* templates.replace(scope, id, draft("edited", { subscription: { topic_id: two }, tags: ["a", "b"] }))
        const first = yield* templates.list(scope, { limit: 1, cursor: undefined })
        assert.deepStrictEqual(first.items.map(({ created: _, updated: __, ...item }) => item), [
          { id, name: "edited", tags: ["a", "b"], state: "PUBLISHED", topicId: one }
        ])
        const { cursor } = first
        const second = yield* templates.list(scope, { limit: 1, cursor })
        assert.deepStrictEqual([second.items.map((item) => item.id), second.cursor], [[old.id], undefined])
        assert.strictEqual(
          yield* tag(templates.list(scope, { limit: 1, cursor, alias: "event" })),
          "InvalidCursor"
        )
        const found = yield* templates.list(scope, { limit: 9, cursor: undefined, alias: "event" })
        assert.deepStrictEqual(found.items.map((item) => item.id), [id])
      }))

    it.effect("elements get ids once, and keep what is theirs", () =>
      Effect.gen(function*() {
        const { draft, scope, templates } = yield* start
        const elements = [
          { type: "group", elements: [{ type: "text", content: "\u0000", ...Fixture.withProto }, { type: "text" }] },
          { type: "text", id: "mine" }
        ]
        const made = yield* templates.create(scope, draft("one", { content: { version: "2022-01-01", elements } }))
        const stored = yield* templates.get(scope, made.id, "draft")
        assert.deepStrictEqual(stored.template, made.template)
        const ids = JSON.stringify(stored.template).match(/"id":"[^"]+"/g) ?? []
        assert.lengthOf(new Set(ids), 4)
        const again = yield* templates.editContent(scope, made.id, Effect.succeed, false)
        assert.deepStrictEqual(again.template.content, stored.template.content)
      }))

    it.effect("P10: another environment's template is none", () =>
      Effect.gen(function*() {
        const { make } = yield* start
        const { id } = yield* make("one", "welcome", true)
        const elsewhere = yield* start
        assert.deepStrictEqual(yield* elsewhere.both(id), ["TemplateNotFound", "TemplateNotFound"])
        assert.deepStrictEqual(yield* elsewhere.both("welcome"), ["TemplateNotFound", "TemplateNotFound"])
        assert.strictEqual(yield* tag(elsewhere.templates.get(elsewhere.scope, id, 1)), "TemplateNotFound")
        yield* elsewhere.make("two", "welcome", true)
        assert.deepStrictEqual(yield* elsewhere.both("welcome"), ["two", "two"])
      }))
  })
