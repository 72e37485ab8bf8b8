import { Effect } from "effect"

/** How often another fiber of the process has its turn while the effect runs; with what that answers. */
export const during = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [A, turns: number], E, R> =>
  Effect.scoped(Effect.gen(function*() {
    let turns = 0
    yield* Effect.sync(() => turns++).pipe(Effect.andThen(Effect.yieldNow), Effect.forever, Effect.forkScoped)
    yield* Effect.yieldNow
    const before = turns
    const answer = yield* effect
    return [answer, turns - before] as const
  }))
