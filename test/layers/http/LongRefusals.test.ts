import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const long = "a".repeat(100_000)
const topics = Array.from({ length: 50 }, (_, n) => ({ topic_id: `${"t".repeat(500)}${n}`, status: "OPTED_IN" }))

/** Requests that hold what a refusal quotes, and how it begins. */
const quoted: ReadonlyArray<readonly [string, string, unknown, string]> = [
  ["PATCH", "/profiles/ada", { patch: [{ op: "test", path: `/${long}`, value: 1 }] }, "patch[0]: The value at "],
  ["PATCH", "/profiles/ada", { patch: [{ op: "remove", path: `/${long}` }] }, "patch[0]: Property "],
  ["PATCH", "/profiles/ada", { patch: [{ op: "copy", from: `/${long}`, path: "/b" }] }, "patch[0]: There is nothing "],
  ["PUT", "/users/ada/preferences", { topics }, "ttt"],
  ["PUT", "/translations/default/de", `"${long} x"`, "body: Error parsing PO data: Invalid key name "]
]

describe("A refusal that quotes its caller", () => {
  it.effect.each(quoted)(
    "%s %s has at most 1,000 characters and an ellipsis",
    ([method, path, body, begins]) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        yield* call("PUT", "/profiles/ada", { body: { profile: {} } })
        const answer = yield* call(method, path, { body })
        const said = String(Reflect.get(Object(answer.body), "message"))
        assert.strictEqual(answer.status, 400)
        assert.isTrue(said.startsWith(begins), said.slice(0, 100))
        assert.strictEqual(said.length, 1_001)
        assert.isTrue(said.endsWith("…"))
      })
  )
})
