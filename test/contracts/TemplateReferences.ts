import type { Templates } from "#src/content/Templates.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { start, tag } from "#test/contracts/TemplateFixture.ts"
import { Effect } from "effect"
import { assert, type Vitest } from "@effect/vitest"

const strategy = { name: "s", routing: { method: "single" as const, channels: ["email"] } }

/** What a template names is there: its routing strategy and its topic. */
export const references = (it: Vitest.MethodsNonLive<Templates | Strategies | PreferenceCatalogue>) => {
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
}
