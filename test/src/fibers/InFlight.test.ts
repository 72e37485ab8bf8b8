import { type Entry, InFlight } from "#src/fibers/InFlight.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

/** Adds a value, or deletes what the nth `add` answered, which is often gone already. */
const Step = Schema.Union([
  Schema.Struct({ add: Schema.Int }),
  Schema.Struct({ delete: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })) })
])

describe("InFlight", () => {
  it.prop("holds what a list would, in the order in which it came, however often something is deleted", [
    Schema.Array(Step).check(Schema.isMinLength(20), Schema.isMaxLength(40))
  ], ([steps]) => {
    const inFlight = new InFlight<number>()
    const entries: Array<Entry<number>> = []
    let expected: Array<Entry<number>> = []
    for (const step of steps) {
      if ("add" in step) {
        const entry = inFlight.add(step.add)
        entries.push(entry)
        expected.push(entry)
      } else {
        const entry = entries[step.delete]
        if (entry === undefined) continue
        inFlight.delete(entry)
        expected = expected.filter((other) => other !== entry)
      }
      assert.deepStrictEqual([...inFlight.values()], expected.map(({ value }) => value))
      assert.strictEqual(inFlight.oldest, expected[0])
    }
    for (const entry of entries.filter((entry) => !expected.includes(entry))) {
      assert.deepStrictEqual([entry.before, entry.after], [undefined, undefined], "what has left points to nothing")
    }
  })
})
