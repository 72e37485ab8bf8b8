import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const text = (id: string, content: string) => ({ type: "text", id, content })
const contentOf = (...elements: ReadonlyArray<object>) => ({ version: "2022-01-01", elements })
const twice = contentOf(text("a", "1"), text("a", "2"))
const fine = contentOf(text("a", "1"), text("b", "2"))
const open = contentOf({ type: "group", elements: [text("a", "Hi {{#if name}}{{name}}")] })

const notification = (content: object) => ({
  name: "n",
  tags: [],
  brand: null,
  subscription: null,
  routing: null,
  content
})

const idOf = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))

const start = Effect.gen(function*() {
  const { call } = yield* serve
  yield* call("PUT", "/tenants/acme", { body: { name: "Acme" } })
  const answer = (method: string, path: string, body?: object) =>
    Effect.map(call(method, path, body === undefined ? {} : { body }), ({ body, status }) => [status, body] as const)
  const refused = (message: string) => [400, { message, type: "invalid_request_error" }] as const
  const [, made] = yield* answer("POST", "/notifications", { notification: notification(fine), state: "PUBLISHED" })
  return { answer, refused, path: `/notifications/${idOf(made).id}` }
})

describe("Content that is refused", () => {
  it.effect("has an id twice: an edit of the one would be lost on the other", () =>
    Effect.gen(function*() {
      const { answer, path, refused } = yield* start
      const says = "The id \"a\" is that of another element, content.elements[0]"
      const inBody = refused(`notification.content.elements[1].id: ${says}`)
      assert.deepStrictEqual(yield* answer("POST", "/notifications", { notification: notification(twice) }), inBody)
      assert.deepStrictEqual(yield* answer("PUT", path, { notification: notification(twice) }), inBody)
      assert.deepStrictEqual(
        yield* answer("PUT", `${path}/content`, { content: twice }),
        refused(`content.elements[1].id: ${says}`)
      )
      const group = { type: "group", elements: [text("a", "3")] }
      assert.deepStrictEqual(
        yield* answer("PUT", `${path}/elements/b`, group),
        refused(`content.elements[1].elements[0].id: ${says}`)
      )
      assert.deepStrictEqual(
        yield* answer("PUT", "/tenants/acme/templates/t", { template: { content: twice } }),
        refused(`template.content.elements[1].id: ${says}`)
      )
      const [, content] = yield* answer("GET", `${path}/content?version=draft`)
      assert.deepInclude(JSON.stringify(content), "\"content\":\"2\"")
    }))

  it.effect("is to go live and is no template; as a draft it is stored", () =>
    Effect.gen(function*() {
      const { answer, path, refused } = yield* start
      const says = "content.elements[0].elements[0].content: The template is malformed: \"if\" is not closed"
      const write = { notification: notification(open), state: "PUBLISHED" }
      assert.deepStrictEqual(yield* answer("POST", "/notifications", write), refused(`notification.${says}`))
      assert.deepStrictEqual(yield* answer("PUT", path, write), refused(`notification.${says}`))
      assert.deepStrictEqual(
        yield* answer("PUT", `${path}/content`, { content: open, state: "PUBLISHED" }),
        refused(says)
      )
      const element = { ...text("", "x"), if: "data.a ==" }
      assert.deepStrictEqual(
        yield* answer("PUT", `${path}/elements/b`, { ...element, state: "PUBLISHED" }),
        refused("content.elements[1].if: Invalid condition at character 10: it ends where a value is expected")
      )
      const [status] = yield* answer("PUT", `${path}/content`, { content: open })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(yield* answer("POST", `${path}/publish`), refused(says))
      const own = "/tenants/acme/templates/t"
      assert.deepStrictEqual(
        yield* answer("PUT", own, { template: { content: open }, published: true }),
        refused(`template.${says}`)
      )
      yield* answer("PUT", own, { template: { content: open } })
      assert.deepStrictEqual(yield* answer("POST", `${own}/publish`), refused(says))
    }))
})
