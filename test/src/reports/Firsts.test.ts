import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Firsts from "#src/reports/Firsts.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const idAt = (n: number) => MessageId.make(`1-67890abc-${String(n).padStart(24, "0")}`)
const [one, other] = [Scope.make(1), Scope.make(2)]

describe("Firsts", () => {
  it.effect("a message is noted once, in each environment (P10), and until that has succeeded", () =>
    Effect.gen(function*() {
      const first = Firsts.make()
      const noted: Array<string> = []
      const note = (scope: Scope) => first(scope, idAt(1), Effect.sync(() => void noted.push(`${scope}`)))
      assert.strictEqual(yield* Effect.flip(first(one, idAt(1), Effect.fail("away"))), "away")
      for (const scope of [one, one, other, one, other]) yield* note(scope)
      assert.deepStrictEqual(noted, ["1", "2"])
    }))

  it.effect("what is kept does not grow with the messages; those that were noted last are kept", () =>
    Effect.gen(function*() {
      const first = Firsts.make()
      const noted: Array<number> = []
      const note = (n: number) => first(one, idAt(n), Effect.sync(() => void noted.push(n)))
      for (let n = 0; n <= 8_192; n++) yield* note(n)
      noted.length = 0
      for (const n of [8_192, 4_096, 0]) yield* note(n)
      assert.deepStrictEqual(noted, [0])
    }))
})
