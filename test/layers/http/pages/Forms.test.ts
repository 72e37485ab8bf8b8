import { owner, start } from "#test/layers/http/pages/Readers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("the forms of the pages", () => {
  it.live.each([
    { name: "fields without values", body: "a&".repeat(200_000) },
    { name: "fields", body: "topic=x&".repeat(20_000) },
    { name: "bytes", body: `topic=${"x".repeat(600_000)}` }
  ])(
    "API4: a form of more $name than a page sends is refused, and holds nobody up",
    ({ body }) =>
      Effect.gen(function*() {
        const { ask, tokens, topic, writes } = yield* start
        const topicId = yield* topic()
        const paths = [
          `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId })}`,
          `/t/preferences/${tokens.preferences(owner)}`
        ]
        const before = writes()
        for (const path of paths) assert.strictEqual((yield* ask("POST", path, { body })).status, 413)
        assert.deepStrictEqual(writes(), before)
      })
  )
})
