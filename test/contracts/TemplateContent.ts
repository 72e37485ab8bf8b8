import type { TemplateContent } from "#schemas/Template.ts"
import { ContentRefused } from "#src/content/ContentRefused.ts"
import type { Templates } from "#src/content/Templates.ts"
import type { Strategies } from "#src/delivery/providers/Strategies.ts"
import type { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { start, tag } from "#test/contracts/TemplateFixture.ts"
import { Effect } from "effect"
import { assert, type Vitest } from "@effect/vitest"

const text = (id: string, content: string) => ({ type: "text", id, content })

const twice: TemplateContent = {
  version: "2022-01-01",
  elements: [text("a", "1"), { type: "group", id: "g", elements: [text("a", "2")] }]
}

const malformed: TemplateContent = { version: "2022-01-01", elements: [text("a", "Hi {{#if name}}{{name}}")] }

/** The place that a refusal of content names. */
const placeOf = (write: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.flip(write), (error) => error instanceof ContentRefused ? error.path : error)

/** Which content is stored, and which of it goes live. */
export const content = (it: Vitest.MethodsNonLive<Templates | Strategies | PreferenceCatalogue>) => {
  it.effect("content in which an id is used twice is refused, and nothing of the write stays", () =>
    Effect.gen(function*() {
      const { draft, make, scope, templates } = yield* start
      assert.strictEqual(yield* tag(templates.create(scope, draft("one", { content: twice }))), "ContentRefused")
      assert.lengthOf((yield* templates.list(scope, { limit: 9, cursor: undefined })).items, 0)
      const { id, template } = yield* make("one")
      for (
        const write of [
          templates.replace(scope, id, draft("two", { content: twice })),
          templates.editContent(scope, id, () => Effect.succeed(twice), false)
        ]
      ) {
        assert.strictEqual(yield* placeOf(write), "content.elements[1].elements[0].id")
      }
      assert.deepStrictEqual((yield* templates.get(scope, id, "draft")).template, template)
    }))

  it.effect("a draft may hold what is no template; it does not go live, and what is live stays", () =>
    Effect.gen(function*() {
      const { draft, make, rendered, scope, templates } = yield* start
      const bad = draft("bad", { content: malformed })
      assert.strictEqual(yield* tag(templates.create(scope, { ...bad, publish: true })), "ContentRefused")
      assert.lengthOf((yield* templates.list(scope, { limit: 9, cursor: undefined })).items, 0)
      const { id } = yield* make("good", undefined, true)
      yield* templates.replace(scope, id, bad)
      for (
        const write of [
          templates.publish(scope, id, undefined),
          templates.replace(scope, id, { ...bad, publish: true }),
          templates.editContent(scope, id, Effect.succeed, true)
        ]
      ) {
        assert.strictEqual(yield* placeOf(write), "content.elements[0].content")
      }
      assert.deepStrictEqual(yield* Effect.all([rendered(id, "published"), rendered(id, "draft")]), ["good", "bad"])
      assert.lengthOf((yield* templates.versions(scope, id, { limit: 9, cursor: undefined })).items, 2)
      yield* templates.publish(scope, id, 1)
    }))
}
