import * as StepRows from "#layers/postgres/journal/StepRows.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("the rows of steps", () => {
  it.effect("what a caller or a provider wants to be waited for is in whole ms, or its row would be refused", () =>
    Effect.gen(function*() {
      const message = Fixture.message(yield* Fixture.world)
      const attempt = Fixture.attempt(1, "rejected", { retryAfter: 1_500.2 })
      const { rows } = StepRows.of([Fixture.step(message, 1, { attempt, dueAt: 1_700_000_000_000.5 })], [undefined])
      assert.deepInclude(rows[0], { due_at: 1_700_000_000_001, retry_after: 1_501 })
    }))

  it.effect("P1: a step that is written from no status does not bar another that is like it in all else", () =>
    Effect.gen(function*() {
      const message = Fixture.message(yield* Fixture.world)
      const end = Fixture.step(message, 1, { dueAt: null })
      const { kinds, rows } = StepRows.of([{ ...end, from: [] }, end], [undefined, undefined])
      const sources = rows.map(({ k }) => kinds[k]?.sources)
      assert.deepStrictEqual(sources, [[], Lifecycle.sources(end.lifecycle)])
    }))
})
