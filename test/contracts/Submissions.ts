import { type CheckWrite, Submissions } from "#src/content/Submissions.ts"
import { type TemplateDraft, Templates } from "#src/content/Templates.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const draft: TemplateDraft = {
  template: {
    name: "Welcome",
    tags: [],
    brand: null,
    subscription: null,
    routing: null,
    content: { version: "2022-01-01", elements: [] }
  },
  alias: undefined,
  publish: false
}

const check = (id: string, status: CheckWrite["status"]): CheckWrite => ({ id, type: "custom", status })

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const submissions = yield* Submissions
  const templates = yield* Templates
  const { id: template } = yield* templates.create(scope, draft)
  const id = yield* submissions.submit(scope, template)
  return { scope, submissions, templates, template, id }
})

/** What every store of submissions promises. */
export const submissionsContract = <E>(name: string, stores: Layer.Layer<Submissions | Templates, E>) =>
  layer(stores)(`Submissions: ${name}`, (it) => {
    it.effect("begin without checks, hold the set that was written last, and end when withdrawn", () =>
      Effect.gen(function*() {
        const { id, scope, submissions, template } = yield* start
        assert.deepStrictEqual(yield* submissions.checks(scope, template, id), [])
        const now = yield* Clock.currentTimeMillis
        const first = yield* submissions.putChecks(scope, template, id, [
          check("legal", "PENDING"),
          check("tone '\u0000", "PENDING")
        ])
        assert.deepStrictEqual(first.map(({ updated }) => updated), [now, now])
        yield* TestClock.adjust("2 seconds")
        const second = yield* submissions.putChecks(scope, template, id, [
          check("tone '\u0000", "PENDING"),
          check("legal", "RESOLVED")
        ])
        assert.deepStrictEqual(second, [
          { ...check("tone '\u0000", "PENDING"), updated: now },
          { ...check("legal", "RESOLVED"), updated: now + 2_000 }
        ])
        assert.deepStrictEqual(yield* submissions.checks(scope, template, id), second)
        const twice = [check("legal", "RESOLVED"), check("tone", "PENDING"), check("legal", "FAILED")]
        assert.deepStrictEqual(
          (yield* submissions.putChecks(scope, template, id, twice)).map(({ id, status }) => [id, status]),
          [["legal", "FAILED"], ["tone", "PENDING"]],
          "a check that is named twice is one, and its last word counts"
        )
        yield* submissions.withdraw(scope, template, id)
        for (
          const gone of [
            submissions.checks(scope, template, id),
            submissions.putChecks(scope, template, id, []),
            submissions.withdraw(scope, template, id)
          ]
        ) assert.strictEqual((yield* Effect.flip(gone))._tag, "SubmissionNotFound")
      }))

    it.effect("are each their own, of one template and environment (P10)", () =>
      Effect.gen(function*() {
        const { id, scope, submissions, template } = yield* start
        const elsewhere = yield* start
        const other = yield* submissions.submit(scope, template)
        assert.notStrictEqual(other, id)
        yield* submissions.putChecks(scope, template, id, [check("legal", "FAILED")])
        assert.deepStrictEqual(yield* submissions.checks(scope, template, other), [])
        for (const wrong of [[scope, elsewhere.template, id], [elsewhere.scope, template, id]] as const) {
          assert.strictEqual((yield* Effect.flip(submissions.checks(...wrong)))._tag, "SubmissionNotFound")
          assert.strictEqual((yield* Effect.flip(submissions.putChecks(...wrong, [])))._tag, "SubmissionNotFound")
          assert.strictEqual((yield* Effect.flip(submissions.withdraw(...wrong)))._tag, "SubmissionNotFound")
        }
        assert.strictEqual((yield* Effect.flip(submissions.submit(elsewhere.scope, template)))._tag, "TemplateNotFound")
      }))

    it.effect("need a template that is not archived", () =>
      Effect.gen(function*() {
        const { scope, submissions, template, templates } = yield* start
        yield* templates.archive(scope, template)
        for (const id of [template, "nt_none"]) {
          assert.strictEqual((yield* Effect.flip(submissions.submit(scope, id)))._tag, "TemplateNotFound")
        }
      }))
  })
