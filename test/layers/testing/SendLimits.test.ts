import { none } from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const content = { title: "Hello", body: "Ada" }

const limit = (most: number): Simulation.Change => ({
  _tag: "PutSendLimit",
  per: "user",
  period: "day",
  limit: { limit: most }
})

describe("the send limits of a world", () => {
  it("hold from the beginning, in both environments, and as they are by then; the next day counts anew", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*({ change, send }) {
      const hello = (environment: Simulation.Environment = 1) =>
        send({ to: { email: "ada@x.test" }, content }, { environment })
      const twice = Effect.andThen(hello(), hello())
      yield* twice
      yield* hello(2)
      yield* hello(2)
      yield* Effect.sleep("1 minute")
      yield* change(limit(2))
      yield* twice
      yield* Effect.sleep("1 minute")
      yield* change({ _tag: "DeleteSendLimit", per: "user", period: "day" })
      yield* twice
      yield* Effect.sleep("1 minute")
      yield* change(limit(1))
      yield* Effect.sleep("1 day")
      yield* twice
    })
    const given: Simulation.Given = { limits: { "user/day": { limit: 1 } } }
    const { failure, stored } = Simulation.run(1, story, { given, faults: none })
    assert.isUndefined(failure)
    const ended = (environment: 1 | 2) => stored.messages({ environment }).map(({ status }) => status)
    const [sent, not] = ["SENT", "THROTTLED"]
    assert.deepStrictEqual(ended(1), [sent, not, sent, not, sent, sent, sent, not])
    assert.deepStrictEqual(ended(2), [sent, not])
  })

  it("are such as the API takes", () => {
    const refusal = (limits: object): string =>
      Reflect.apply(Simulation.run, undefined, [1, () => Effect.void, { given: { limits }, faults: none }])
        .failure?.split("\n")[0]
    assert.include(refusal({ "user/year": { limit: 1 } }), "options.given.limits has \"user/year\" for an id")
    assert.include(
      refusal({ "user/day": {} }),
      "options.given.limits.user/day is refused: Expected a limit, or overrides"
    )
    assert.include(
      refusal({ "global/day": { overrides: { ada: 1 } } }),
      "options.given.limits.global/day is refused: overrides: a global limit has none"
    )
  })
})
