import type { Templates } from "#src/content/Templates.ts"
import type { Strategies } from "#src/delivery/providers/Strategies.ts"
import type { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { start } from "#test/contracts/TemplateFixture.ts"
import { Effect } from "effect"
import { assert, type Vitest } from "@effect/vitest"

/** What is rendered of a template for which key, and what its versions are. */
export const versions = (it: Vitest.MethodsNonLive<Templates | Strategies | PreferenceCatalogue>) => {
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

  it.effect("publishing what is live once more is no new version, also where its elements have no ids", () =>
    Effect.gen(function*() {
      const { draft, scope, templates } = yield* start
      const given = {
        ...draft("one", { content: { version: "2022-01-01", elements: [{ type: "text", content: "x" }] } }),
        publish: true
      }
      const { id } = yield* templates.create(scope, given)
      for (let n = 0; n < 3; n++) yield* templates.replace(scope, id, given)
      const { items } = yield* templates.versions(scope, id, { limit: 10, cursor: undefined })
      assert.deepStrictEqual(items.map(({ number }) => number), [undefined, 1])
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
}
