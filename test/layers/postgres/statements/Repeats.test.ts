import * as Repeats from "#layers/postgres/statements/Repeats.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlError, UniqueViolation } from "effect/sql/SqlError"

const taken = new SqlError({ reason: new UniqueViolation({ cause: "23505", constraint: "key" }) })

/** A write of rows that are there or not, and how often it was asked to write them as new ones. */
const writing = (areThere: boolean) => {
  const asked: Array<boolean> = []
  const write = (areNew: boolean) =>
    Effect.suspend(() => {
      asked.push(areNew)
      return areNew && areThere ? Effect.fail(taken) : Effect.succeed("written")
    })
  return { asked, write }
}

describe("Rows that may be there already", () => {
  it.effect("are written as new ones, and once more if one is there", () =>
    Effect.gen(function*() {
      const [fresh, repeated] = [writing(false), writing(true)]
      for (const { write } of [fresh, repeated]) assert.strictEqual(yield* Repeats.asNew(["a"], write), "written")
      assert.deepStrictEqual([fresh.asked, repeated.asked], [[true], [true, false]])
    }))

  it.effect("are looked up first where they are large, since writing them in vain takes long", () =>
    Effect.gen(function*() {
      const { asked, write } = writing(true)
      yield* Repeats.asNew(["", 1, ["x".repeat(600_000), ["x".repeat(600_000)]]], write)
      assert.deepStrictEqual(asked, [false])
    }))

  it.effect("are looked up first in what has met such rows before, and in nothing else", () =>
    Effect.gen(function*() {
      const asNew = Repeats.learning()
      const [one, other] = [writing(true), writing(true)]
      for (const name of ["one", "one", "one"]) yield* asNew(name, [], one.write)
      yield* asNew("other", [], other.write)
      assert.deepStrictEqual([one.asked, other.asked], [[true, false, false, false], [true, false]])
    }))
})
