import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { type Count, count, nameOf } from "#src/flows/SendCounts.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const scope = Scope.make(1)
const messageId = MessageId.make(`1-${"0".repeat(8)}-${"0".repeat(24)}`)

const Subject = Schema.Literals(["a", "b", "c"])
const Most = Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })))
const Sent = Schema.Array(Schema.NonEmptyArray(Subject))

describe("SendCounts: messages that are counted together, as those of one transaction", () => {
  it.prop(
    "each is counted on top of those before it: as many as may go, and who does not counts nowhere",
    { most: Schema.Struct({ a: Most, b: Most, c: Most }), sent: Sent },
    ({ most, sent }) => {
      const of = (subject: typeof Subject.Type): Count => ({
        per: "topic",
        period: "day",
        from: 0,
        until: 1,
        subject,
        most: most[subject]
      })
      const used = new Map<string, number>()
      const went = { a: 0, b: 0, c: 0 }
      const isFull = (subject: typeof Subject.Type) => went[subject] >= (most[subject] ?? Infinity)
      for (const some of sent) {
        const subjects = [...new Set(some)]
        const full = subjects.find(isFull)
        assert.deepStrictEqual(
          count(used, { scope, messageId, counts: subjects.map(of) }),
          full === undefined ? { _tag: "Counted" } : { _tag: "Reached", count: of(full) }
        )
        if (full === undefined) { for (const subject of subjects) went[subject]++ }
        for (const subject of Subject.literals) {
          assert.strictEqual(used.get(nameOf(scope, of(subject))) ?? 0, went[subject])
        }
      }
    }
  )
})
