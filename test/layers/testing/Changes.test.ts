import { none } from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const content = { title: "Hello", body: "Ada" }
const given: Simulation.Given = {
  profiles: {
    ada: { email: "ada@old.test", plan: "pro" },
    bob: { email: "bob@x.test", plan: "pro" },
    cleo: { email: "cleo@x.test", plan: "free" }
  },
  audiences: { pros: { filter: { operator: "EQ", path: "plan", value: "pro" } } },
  topics: ["news"]
}

/** What broke the story off that makes this change, in one line. */
const refusal = (change: object): string | undefined =>
  Simulation.run(1, ({ change: make }) => Reflect.apply(make, undefined, [change]), { given, faults: none }).failure
    ?.split("\n")[0]

describe("a profile that changes while messages wait", () => {
  it("is where they go, and who is deleted gets none", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      for (const user_id of ["ada", "bob"]) {
        yield* world.send({
          to: { user_id },
          content,
          routing: { method: "single", channels: ["email"] },
          delay: { duration: 600_000 }
        }, { key: user_id })
      }
      yield* world.change({ _tag: "PutProfile", userId: "ada", profile: { email: "ada@new.test" } })
      yield* world.change({ _tag: "DeleteProfile", userId: "bob" })
    })
    for (const seed of [1, 2, 3]) {
      const { changes, deliveries, failure } = Simulation.run(seed, story, { given })
      assert.deepStrictEqual([failure, changes.length >= 2], [undefined, true])
      assert.deepStrictEqual([...new Set(deliveries.map(({ address }) => address))], ["ada@new.test"])
    }
  })

  it("makes its user a member of an audience, or ends that", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* world.change({ _tag: "PutProfile", userId: "cleo", profile: { email: "cleo@x.test", plan: "pro" } })
      yield* world.change({ _tag: "DeleteProfile", userId: "bob" })
      yield* world.send({ to: { audience_id: "pros" }, content }, { key: "pros" })
    })
    const { stored } = Simulation.run(1, story, { given, faults: none })
    assert.sameMembers(stored.messages().map(({ userId }) => userId), ["ada", "cleo"])
  })
})

describe("a change that can have no effect", () => {
  it("is told in a sentence", () => {
    const wrong: ReadonlyArray<readonly [change: object, sentence: string]> = [
      [{ _tag: "Prefer", topicId: "news", status: "OPTED_OUT" }, "names a user by what is no id"],
      [{ _tag: "Subscribe", userId: "ada" }, "names a list by what is no id"],
      [{ _tag: "Prefer", userId: "ada", topicId: "news", status: "OUT" }, "names a status that is neither OPTED_IN"],
      [
        { _tag: "PutProfile", userId: "ada", profile: { profile: { email: "ada@x.test" } } },
        "names a profile that no user has: .ada has its fields within profile, where nobody looks for them"
      ],
      [{ _tag: "PutProfile", userId: "ada" }, "names a profile that no user has: .ada is refused"]
    ]
    for (const [change, sentence] of wrong) assert.include(refusal(change), sentence)
  })
})
