import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("P5: a path that is longer than an index takes", () => {
  it.effect("is answered with a key as without one, keeps its answer by a short name, and shares it with no other path", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const post = (id: string, headers: Readonly<Record<string, string>>) =>
        call("POST", `/profiles/${id}`, { body: { profile: { name: "Ada" } }, headers })
      const keyed = (id: string) => post(id, { "idempotency-key": "one" })
      const [long, other, widest] = ["a".repeat(4_000), `${"a".repeat(3_999)}b`, encodeURIComponent("字".repeat(512))]
      const answers = [
        yield* post(long, {}),
        yield* keyed(long),
        yield* keyed(long),
        yield* keyed(other),
        yield* keyed(widest)
      ]
      assert.deepStrictEqual(answers.map(({ status }) => status), [400, 400, 400, 400, 200])
      assert.deepStrictEqual(
        answers.map(({ headers }) => headers.get("idempotent-replayed")),
        [null, null, "true", null, null]
      )
      for (const name of state.keys.keys()) assert.isBelow(name.length, 1_100)
    }))
})
