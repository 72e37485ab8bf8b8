import { Scope } from "#schemas/Scope.ts"
import { Status } from "#schemas/Status.ts"
import type { Step, StepResult } from "#src/delivery/Journal.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const written: StepResult = { _tag: "Written", status: "OPENED", provenAtNanos: 0n }

const step: Step = {
  message: { id: Fixture.id(0), scope: Scope.make(1), shard: 3, lane: "bulk", dueAt: 5 },
  epoch: 2,
  at: 7,
  attempt: Fixture.attempt(1, "accepted"),
  lifecycle: ["Send"],
  conditional: true,
  dueAt: null,
  tries: 0,
  reason: "FAILED",
  error: "down",
  events: [{ type: "SENT", ts: 7 }]
}

/** The steps that close a message of which the journal thinks this. */
const closed = Effect.fnUntraced(function*(first: StepResult) {
  const steps: Array<Step> = []
  const result = yield* Write.close((step) => {
    steps.push(step)
    return Effect.succeed(steps.length === 1 ? first : written)
  }, step)
  return { steps, result }
})

describe("The step that closes a message", () => {
  it.effect("P6: is written again without what its status refuses: its row is not due for ever, and its call is not lost", () =>
    Effect.gen(function*() {
      const { attempt, at, epoch, message } = step
      const from = Status.literals.filter((status) => status !== "ENQUEUED" && status !== "ROUTED")
      const bare = { message, epoch, at, attempt, lifecycle: [], conditional: true, from, dueAt: null, events: [] }
      assert.deepStrictEqual(yield* closed({ _tag: "Refused" }), { steps: [step, bare], result: written })
    }))

  it.effect("is written once otherwise", () =>
    Effect.gen(function*() {
      for (const result of [written, { _tag: "Fenced" } as const]) {
        assert.deepStrictEqual(yield* closed(result), { steps: [step], result })
      }
    }))
})
