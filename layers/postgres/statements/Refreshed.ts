import * as Outage from "#src/store/Outage.ts"
import { type Duration, Effect } from "effect"

/**
 * Runs `refresh` now, and again after each `every`, for as long as the scope is open. One that fails leaves what the
 * last one found; `what` says in the log what is unknown then.
 */
export const keep = <E, R>(what: string, every: Duration.Input, refresh: Effect.Effect<void, E, R>) => {
  const outage = Outage.make({
    lost: (cause) => Effect.logWarning(`${what} is unknown`, cause),
    found: Effect.logInfo(`${what} is known again`)
  })
  return refresh.pipe(
    Effect.andThen(outage.found()),
    Effect.catchCause((cause) => outage.lost(cause)),
    Effect.andThen(Effect.sleep(every)),
    Effect.forever,
    Effect.forkScoped
  )
}
