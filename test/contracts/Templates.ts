import type { KeyState } from "#schemas/Scope.ts"
import type { Template } from "#schemas/Template.ts"
import { Templates } from "#src/content/Templates.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

export const template = (name: string, more: Partial<Template> = {}): Template => ({
  name,
  tags: ["one"],
  brand: null,
  subscription: null,
  routing: null,
  content: { version: "2022-01-01", elements: [{ type: "text", content: name, id: "el_1" }] },
  ...more
})

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const templates = yield* Templates
  const draft = (name: string, more: Partial<Template> = {}) => ({
    template: template(name, more),
    alias: undefined,
    publish: false
  })
  const make = (name: string, alias?: string, publish = false) =>
    templates.create(scope, { template: template(name), alias, publish })
  /** The name of what a send would render, or the refusal. */
  const rendered = (name: string, keyState: KeyState) =>
    templates.resolve(scope, name, keyState).pipe(
      Effect.map(({ template }) => template.name),
      Effect.catch((error) => Effect.succeed(error._tag))
    )
  const both = (name: string) => Effect.all([rendered(name, "published"), rendered(name, "draft")])
  const catalogue = yield* PreferenceCatalogue
  const topic = Effect.gen(function*() {
    const section = yield* catalogue.createSection(scope, { name: "s" })
    const made = yield* catalogue.createTopic(scope, section.id, { name: "t", default_status: "OPTED_IN" })
    return made.id
  })
  return { scope, templates, draft, make, rendered, both, topic }
})

const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const strategy = { name: "s", routing: { method: "single" as const, channels: ["email"] } }

/** What every store of templates promises. */
export const templatesContract = <E>(
  name: string,
  stores: Layer.Layer<Templates | Strategies | PreferenceCatalogue, E>
) =>
  layer(stores)(`Templates: ${name}`, (it) => {
    it.effect("a draft is rendered for draft keys only, until it is published", () =>
      Effect.gen(function*() {
        const { both, draft, make, scope, templates } = yield* start
        const { id } = yield* make("one")
        assert.match(id, /^nt_[0-9a-hjkmnp-tv-z]{26}$/)
        assert.deepStrictEqual(yield* both(id), ["TemplateUnpublished", "one"])
        assert.isTrue(yield* templates.publish(scope, id, undefined))
        assert.deepStrictEqual(yield* both(id), ["one", "one"])
        yield* templates.replace(scope, id, draft("two"))
        assert.deepStrictEqual(yield* both(id), ["one", "two"])
        yield* templates.publish(scope, id, undefined)
        assert.deepStrictEqual(yield* both(id), ["two", "two"])
        assert.isTrue(yield* templates.publish(scope, id, 1))
        assert.deepStrictEqual(yield* both(id), ["one", "two"])
      }))

    it.effect("a published version never changes", () =>
      Effect.gen(function*() {
        const { make, scope, templates } = yield* start
        const { id } = yield* make("one", undefined, true)
        const first = yield* templates.get(scope, id, 1)
        yield* templates.editContent(scope, id, () => Effect.succeed({ elements: [] }), true)
        yield* templates.archive(scope, id)
        assert.deepStrictEqual((yield* templates.get(scope, id, 1)).template, first.template)
        assert.deepStrictEqual((yield* templates.get(scope, id, "published")).template.content.elements, [])
      }))

    it.effect("publishing again what is live changes nothing", () =>
      Effect.gen(function*() {
        const { make, scope, templates } = yield* start
        const { id } = yield* make("one", undefined, true)
        for (const again of [undefined, "draft", "published", 1] as const) {
          assert.isFalse(yield* templates.publish(scope, id, again))
        }
        const { items } = yield* templates.versions(scope, id, { limit: 10, cursor: undefined })
        assert.deepStrictEqual(items.map(({ hasChanges, live, number }) => [number, live, hasChanges]), [
          [undefined, false, false],
          [1, true, undefined]
        ])
      }))

    it.effect("versions come newest first after the draft, page by page", () =>
      Effect.gen(function*() {
        const { draft, make, scope, templates } = yield* start
        const { id } = yield* make("0", undefined, true)
        for (const n of [1, 2, 3]) yield* templates.replace(scope, id, { ...draft(String(n)), publish: true })
        yield* templates.publish(scope, id, 2)
        const seen: Array<ReadonlyArray<unknown>> = []
        let cursor: string | undefined
        do {
          const page = yield* templates.versions(scope, id, { limit: 2, cursor })
          assert.isAtMost(page.items.length, 2)
          seen.push(...page.items.map(({ hasChanges, live, number }) => [number, live, hasChanges]))
          cursor = page.cursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(seen, [
          [undefined, false, true],
          [4, false, undefined],
          [3, false, undefined],
          [2, true, undefined],
          [1, false, undefined]
        ])
      }))

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
        assert.strictEqual((yield* templates.get(scope, id, 1)).template.name, "one")
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

    it.effect("a routing strategy that does not exist refuses the write, and one that is named stays", () =>
      Effect.gen(function*() {
        const { draft, make, scope, templates } = yield* start
        const strategies = yield* Strategies
        const made = yield* strategies.create(scope, strategy)
        const routing = { strategy_id: made.id }
        const elsewhere = yield* start
        const missing = { strategy_id: (yield* strategies.create(elsewhere.scope, strategy)).id }
        assert.strictEqual(
          yield* tag(templates.create(scope, draft("one", { routing: missing }))),
          "UnknownStrategy"
        )
        const { id } = yield* make("one")
        assert.strictEqual(
          yield* tag(templates.replace(scope, id, draft("two", { routing: missing }))),
          "UnknownStrategy"
        )
        yield* templates.replace(scope, id, { ...draft("two", { routing }), publish: true })
        yield* templates.replace(scope, id, draft("three"))
        const users = yield* templates.list(scope, { limit: 10, cursor: undefined, strategyId: made.id })
        assert.deepStrictEqual(users.items.map((item) => item.id), [id])
        assert.strictEqual(yield* tag(strategies.archive(scope, made.id)), "StrategyInUse")
        yield* templates.publish(scope, id, undefined)
        yield* strategies.archive(scope, made.id)
        assert.strictEqual(yield* tag(templates.publish(scope, id, 1)), "UnknownStrategy")
      }))

    it.effect("the topic that a template names exists, or did once", () =>
      Effect.gen(function*() {
        const { draft, make, scope, templates, topic } = yield* start
        const catalogue = yield* PreferenceCatalogue
        const elsewhere = yield* start
        const of = (id: string) => draft("one", { subscription: { topic_id: id } })
        assert.strictEqual(yield* tag(templates.create(scope, of("pt_none"))), "UnknownTopic")
        assert.strictEqual(yield* tag(templates.create(scope, of(yield* elsewhere.topic))), "UnknownTopic")
        const { id } = yield* make("one")
        assert.strictEqual(yield* tag(templates.replace(scope, id, of("pt_none"))), "UnknownTopic")
        // Where nothing that it names is there, a new template is told of the same as one that is replaced.
        const nothing = draft("n", {
          subscription: { topic_id: "pt_none" },
          brand: { id: "none" },
          routing: { strategy_id: "rs_none" }
        })
        assert.strictEqual(yield* tag(templates.create(scope, nothing)), "UnknownTopic")
        assert.strictEqual(yield* tag(templates.replace(scope, id, nothing)), "UnknownTopic")
        const known = yield* topic
        assert.strictEqual(yield* tag(templates.replace(scope, id, of("pt_none"))), "UnknownTopic")
        yield* templates.replace(scope, id, of(known))
        const section = (yield* catalogue.sections(scope))[0]?.id ?? ""
        yield* catalogue.archiveTopic(scope, section, known)
        yield* templates.replace(scope, id, of(known))
        yield* templates.publish(scope, id, undefined)
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
        const content = { version: "2022-01-01", elements }
        const made = yield* templates.create(scope, draft("one", { content }))
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
