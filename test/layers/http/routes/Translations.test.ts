import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const po = "msgid \"hello\"\nmsgstr \"Grüß Gott \\\"du\\\"\"\n"

describe("Translations over HTTP", () => {
  it.effect("are stored as a JSON string and come back as one", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const stored = yield* call("PUT", "/translations/default/de-AT", { body: JSON.stringify(po) })
      assert.deepStrictEqual([stored.status, stored.text], [204, ""])
      const found = yield* call("GET", "/translations/default/de_AT")
      assert.deepStrictEqual([found.status, found.body], [200, po])
      assert.match(found.headers.get("content-type") ?? "", /^application\/json/)
    }))

  it.effect("are taken as plain text too", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const headers = { "content-type": "text/plain; charset=utf-8" }
      assert.strictEqual((yield* call("PUT", "/translations/default/fr", { body: po, headers })).status, 204)
      assert.strictEqual((yield* call("GET", "/translations/default/fr")).body, po)
    }))

  it.effect("are 1,048,576 characters at most, however many bytes these are; a longer text is 400 and says so", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const put = (length: number) =>
        call("PUT", "/translations/default/de", {
          body: JSON.stringify(`${po}#${"ü".repeat(length - po.length - 1)}`)
        })
      assert.deepStrictEqual([(yield* put(1_048_576)).status, (yield* put(1_048_577)).status], [204, 400])
      const { body } = yield* put(1_048_577)
      assert.deepInclude(body, { message: "body: The text has more than 1048576 characters" })
      assert.lengthOf(String((yield* call("GET", "/translations/default/de")).body), 1_048_576)
    }))

  it.effect("404 for another domain and for what is not stored; 400 for no text and no .po file", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const put = (path: string, body: unknown) => call("PUT", path, { body: JSON.stringify(body) })
      const refused = [
        yield* put("/translations/other/de", po),
        yield* call("GET", "/translations/other/de"),
        yield* call("GET", "/translations/default/de"),
        yield* put("/translations/default/de", { text: po }),
        yield* put("/translations/default/de", "hello: world"),
        yield* put("/translations/default/a%20b", po),
        yield* call("PUT", "/translations/default/de")
      ]
      assert.deepStrictEqual(refused.map(({ status }) => status), [404, 404, 404, 400, 400, 400, 400])
      for (const { body } of refused) assert.hasAllKeys(body, ["message", "type"])
      assert.strictEqual((yield* call("GET", "/translations/default/de", { key: "pk_test_a" })).status, 404)
    }))
})
