import { Effect } from "effect"

/** What ends a wait, and what is done then instead. */
export interface End<A> {
  readonly once: Effect.Effect<void>
  readonly instead: Effect.Effect<A>
}

/** Waits for a turn, unless something ends that before. What is given up does not begin, though its turn come in the same moment. */
export const unless = <A, E>(
  wait: (begin: Effect.Effect<A, E>) => Effect.Effect<A, E>,
  begin: Effect.Effect<A, E>,
  ends: ReadonlyArray<End<A>>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let state: "waiting" | "begun" | "over" = "waiting"
    const turn = Effect.suspend((): Effect.Effect<A, E> => {
      if (state === "over") return Effect.never
      state = "begun"
      return begin
    })
    const over = ({ instead, once }: End<A>) =>
      Effect.andThen(
        once,
        Effect.suspend((): Effect.Effect<Effect.Effect<A>> => {
          if (state === "begun") return Effect.never
          state = "over"
          return Effect.succeed(instead)
        })
      )
    return Effect.flatten(Effect.raceAllFirst([Effect.map(wait(turn), Effect.succeed), ...ends.map(over)]))
  })
