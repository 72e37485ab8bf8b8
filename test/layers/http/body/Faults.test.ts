import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Faults of a body", () => {
  it.effect("all are told of a small one, and of a large one, in which it takes seconds to find them, the first", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const told = (to: ReadonlyArray<unknown>) =>
        Effect.map(
          call("POST", "/send", { body: message(to) }),
          ({ body }) => String(Reflect.get(Object(body), "message"))
        )
      assert.strictEqual(yield* told([1, 2]), "message.to[0]: Expected object; message.to[1]: Expected object")
      assert.strictEqual(yield* told(Array.from({ length: 100_000 }, () => 1)), "message.to[0]: Expected object")
    }))
})
