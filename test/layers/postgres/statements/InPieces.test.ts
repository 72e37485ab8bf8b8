import * as InPieces from "#layers/postgres/statements/InPieces.ts"
import * as Patience from "#src/store/Patience.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Cause, Clock, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"

const patience = 2_000
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_999 }))
const Pieces = Schema.NonEmptyArray(Millis).check(Schema.isMaxLength(9))

describe("InPieces", () => {
  it.effect.prop(
    "every row is in one piece, in their order, and no piece has more than a thousand",
    { count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_500 })) },
    ({ count }) =>
      Effect.gen(function*() {
        const rows = Array.makeBy(count, (row) => row)
        const pieces: Array<{ readonly piece: ReadonlyArray<number>; readonly from: number }> = []
        yield* InPieces.run(rows, (piece, from) => Effect.sync(() => pieces.push({ piece, from })))
        assert.deepStrictEqual(pieces.flatMap(({ piece }) => piece), rows)
        assert.isAtLeast(pieces.length, 1)
        for (const { from, piece } of pieces) {
          assert.isAtMost(piece.length, 1_000)
          if (count > 0) assert.strictEqual(piece[0], from)
        }
      })
  )

  it.effect.prop(
    "a write of many pieces is not given up while each is answered in time, and once none is, as soon as any other",
    { pieces: Pieces },
    ({ pieces }) =>
      Effect.gen(function*() {
        const patiently = yield* Patience.within(patience)
        const written = InPieces.run(
          Array.makeBy(pieces.length * InPieces.most, () => 0),
          (_, from) => Effect.sleep(pieces[from / InPieces.most] ?? 0)
        )
        const done = yield* Effect.forkChild(Effect.exit(patiently(written)))
        const silent = yield* Effect.forkChild(Effect.andThen(
          Effect.flip(patiently(Effect.andThen(written, Effect.never))),
          (error) => Effect.map(Clock.currentTimeMillis, (at) => ({ error, at }))
        ))
        yield* TestClock.adjust(30_000)
        assert.strictEqual(Exit.isSuccess(yield* Fiber.join(done)), true)
        const { at, error } = yield* Fiber.join(silent)
        assert.strictEqual(Cause.isTimeoutError(error), true)
        assert.isAtMost(at - pieces.reduce((sum, millis) => sum + millis, 0), 2 * patience)
      }).pipe(Effect.scoped)
  )
})
