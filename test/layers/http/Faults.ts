import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Effect } from "effect"

/** What is planted: `down` is a store that does not answer, `crash` a defect. */
export interface Faults {
  readonly down: boolean
  readonly crash: boolean
}

/** Makes a store's call meet the faults, as they are when it is made. */
export const meeting =
  (faults: Faults) => <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.suspend((): Effect.Effect<A, E | StoreUnavailable, R> => {
      if (faults.down) return Effect.fail(new StoreUnavailable({ cause: "planted" }))
      return faults.crash ? Effect.die("planted") : call
    })
