import { Cause, Deferred, type Duration, Effect, Exit } from "effect"

/** An answer that another call may share. */
interface Shareable {
  readonly replayed: boolean
}

/**
 * Runs at most one call per name at a time in this process. Calls that come meanwhile wait for the first one's answer,
 * and get it marked as a replay, or get its failure. If the first call was interrupted or died of a defect, it has no
 * answer to share, and a waiting call runs itself.
 */
export const make = <A extends Shareable, E>(late?: {
  readonly patience: Duration.Input
  /** The failure of a call that waited longer than `patience` for the first one. */
  readonly tooLate: () => E
}) => {
  const running = new Map<string, Deferred.Deferred<A, E>>()

  // Uninterruptible around `call`, so that the entry in `running` is always removed, wherever the call is interrupted.
  const run = <R>(name: string, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const first = running.get(name)
      if (first !== undefined) return restore(follow(name, call, first))
      const done = Deferred.makeUnsafe<A, E>()
      running.set(name, done)
      return restore(call).pipe(
        Effect.onExit((exit) => {
          running.delete(name)
          return Deferred.done(done, exit)
        })
      )
    })

  const follow = <R>(
    name: string,
    call: Effect.Effect<A, E, R>,
    first: Deferred.Deferred<A, E>
  ): Effect.Effect<A, E, R> => {
    const answered = Effect.exit(Deferred.await(first))
    const waited: Effect.Effect<Exit.Exit<A, E>, E> = late === undefined ? answered : Effect.timeoutOrElse(answered, {
      duration: late.patience,
      orElse: () => Effect.fail(late.tooLate())
    })
    return Effect.flatMap(waited, (exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed({ ...exit.value, replayed: true })
      return Cause.hasFails(exit.cause) ? exit : run(name, call)
    })
  }

  return run
}
