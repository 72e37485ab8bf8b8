import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const text = (id: string, content: string, more: object = {}) => ({ type: "text", id, content, ...more })

const decodeId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))
const decodeSubmission = Schema.decodeUnknownSync(Schema.Struct({ submission_id: Schema.String }))
const decodeMutation = Schema.decodeUnknownSync(Schema.Struct({
  id: Schema.String,
  version: Schema.String,
  state: Schema.String,
  elements: Schema.Array(Schema.Struct({ id: Schema.String, checksum: Schema.String }))
}))
const decodeContent = Schema.decodeUnknownSync(
  Schema.Struct({ elements: Schema.Array(Schema.Record(Schema.String, Schema.Json)) })
)

const start = Effect.gen(function*() {
  const { call } = yield* serve
  const made = yield* call("POST", "/notifications", {
    body: {
      notification: {
        name: "Welcome",
        tags: [],
        brand: null,
        subscription: null,
        routing: null,
        content: {
          version: "2022-01-01",
          elements: [text("a", "one", { locales: { fr: { content: "un" } } }), {
            type: "group",
            id: "g",
            elements: [text("b/1 é", "two")]
          }]
        }
      }
    }
  })
  const { id } = decodeId(made.body)
  const answer = (method: string, path: string, body?: unknown) =>
    Effect.map(
      call(method, `/notifications/${id}${path}`, body === undefined ? {} : { body }),
      ({ body, status }) => [status, body] as const
    )
  const elements = Effect.map(answer("GET", "/content?version=draft"), ([, body]) => decodeContent(body).elements)
  return { id, answer, elements }
})

const missing = (message: string): readonly [number, unknown] => [404, { message, type: "invalid_request_error" }]

describe("Elements and locales of templates", () => {
  it.effect("an element is replaced, however deep, and keeps its id", () =>
    Effect.gen(function*() {
      const { answer, elements, id } = yield* start
      const [status, body] = yield* answer("PUT", `/elements/${encodeURIComponent("b/1 é")}`, {
        ...text("ignored", "TWO"),
        state: "published"
      })
      assert.strictEqual(status, 200)
      const mutation = decodeMutation(body)
      assert.deepInclude(mutation, { id, version: "2022-01-01", state: "PUBLISHED" })
      assert.deepStrictEqual(mutation.elements.map((element) => element.id), ["a", "g"])
      const [, group] = yield* elements
      const [child] = Array.isArray(group?.["elements"]) ? group["elements"] : []
      assert.deepInclude(child, { id: "b/1 é", type: "text", content: "TWO" })
      assert.notProperty(child, "state")
      assert.strictEqual((yield* answer("GET", "/content"))[0], 200)
    }))

  it.effect("a locale is set on the elements named, all or none; others stay", () =>
    Effect.gen(function*() {
      const { answer, elements, id } = yield* start
      const texts = (...ids: ReadonlyArray<string>) => ({ elements: ids.map((id) => ({ id, content: `de ${id}` })) })
      const [status, body] = yield* answer("PUT", "/locales/de-AT", texts("a", "b/1 é"))
      assert.strictEqual(status, 200)
      assert.strictEqual(decodeMutation(body).state, "DRAFT")
      const [first] = yield* elements
      const locales = Object(first?.["locales"])
      assert.deepInclude(locales["de-AT"], { content: "de a" })
      assert.deepInclude(locales["fr"], { content: "un" })
      assert.deepStrictEqual(
        yield* answer("PUT", "/locales/es", texts("a", "none")),
        missing(`Element none not found in template ${id}`)
      )
      const [unchanged] = yield* elements
      assert.notProperty(Object(unchanged?.["locales"]), "es")
    }))

  it.effect("404 for what is not there, 400 for what is no element", () =>
    Effect.gen(function*() {
      const { answer, id } = yield* start
      assert.deepStrictEqual(
        yield* answer("PUT", "/elements/none", text("x", "y")),
        missing(`Element none not found in template ${id}`)
      )
      const bad = [
        yield* answer("PUT", "/elements/a", { content: "x" }),
        yield* answer("PUT", "/elements/a", { ...text("a", "x"), state: "LIVE" }),
        yield* answer("PUT", "/locales/de", { elements: [{ content: "x" }] }),
        yield* answer("PUT", "/locales/de", {})
      ]
      assert.deepStrictEqual(bad.map(([status]) => status), [400, 400, 400, 400])
    }))
})

describe("Checks of submissions", () => {
  it.effect("are written as a set, read, and gone with the submission", () =>
    Effect.gen(function*() {
      const { answer, id } = yield* start
      const [created, made] = yield* answer("POST", "/submissions")
      assert.strictEqual(created, 201)
      const { submission_id: submission } = decodeSubmission(made)
      assert.deepStrictEqual(made, { id, submission_id: submission })
      const path = `/${submission}/checks`
      const checks = [{ id: "legal", type: "custom", status: "PENDING" }]
      assert.deepStrictEqual(yield* answer("GET", path), [200, { checks: [] }])
      const [status, stored] = yield* answer("PUT", path, { checks })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(stored, { checks: [{ ...checks[0], updated: 0 }] })
      assert.deepStrictEqual(yield* answer("GET", path), [200, stored])
      const wrong = yield* answer("PUT", path, { checks: [{ id: "legal", type: "other", status: "DONE" }] })
      assert.strictEqual(wrong[0], 400)
      assert.deepStrictEqual(yield* answer("DELETE", path), [204, undefined])
      const gone = missing(`Submission ${submission} not found`)
      assert.deepStrictEqual(yield* answer("GET", path), gone)
      assert.deepStrictEqual(yield* answer("PUT", path, { checks }), gone)
      assert.deepStrictEqual(yield* answer("DELETE", path), gone)
    }))
})
