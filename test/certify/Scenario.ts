import type { Place, Storage } from "#test/support/Places.ts"
import * as Places from "#test/support/Places.ts"
import type { PrivatePostgres } from "#test/support/PrivatePostgres.ts"
import { Effect } from "effect"
import type { Skipped, Verdict } from "./Verdict.ts"

/** What a scenario runs on, and for how long. */
export interface Setting {
  readonly name: string
  readonly storage: Storage
  readonly runtime: "node" | "deno"
  /** A Postgres that the scenario may restart; `undefined` where none can be started. */
  readonly postgres: PrivatePostgres | undefined
  readonly seconds: number
  readonly perSecond: number
}

export type Scenario = (setting: Setting) => Promise<Verdict | Skipped>

/** Runs `use` at a fresh place of the setting. */
export const at = <A>(setting: Setting, use: (place: Place) => Promise<A>): Promise<A> =>
  Effect.runPromise(Effect.scoped(
    Places.make(setting.storage, {
      runtime: setting.runtime,
      ...(setting.postgres === undefined ? {} : { server: setting.postgres.url })
    }).pipe(Effect.flatMap((place) => Effect.promise(() => use(place))))
  ))
