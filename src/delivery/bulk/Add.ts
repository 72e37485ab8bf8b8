import type { BulkUser } from "#schemas/Bulk.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Jobs, type NewUser } from "#src/delivery/bulk/Jobs.ts"
import * as Users from "#src/delivery/bulk/Users.ts"
import { Effect } from "effect"

/**
 * What became of users that were added. `taken`: how many; `refused`: those who are in the job already, or to whom
 * nothing can be sent.
 */
export interface Added {
  readonly taken: number
  readonly refused: ReadonlyArray<{ readonly user: BulkUser; readonly error: string }>
}

/**
 * Adds users to a bulk job, each person once, as first given. One to whom nothing can be sent is in the job all the
 * same, with its error.
 */
export const make = Effect.map(
  Jobs,
  (jobs) =>
    Effect.fnUntraced(function*(scope: Scope, id: string, users: ReadonlyArray<BulkUser>) {
      const given = yield* Effect.forEach(users, (user) => Users.of(scope, user))
      const first = new Map<string, NewUser>()
      for (const one of given) if (!first.has(one.key)) first.set(one.key, one)
      const known = yield* jobs.add(scope, id, [...first.values()])
      const refused = given.flatMap((one) => {
        const isNew = first.get(one.key) === one && !known.has(one.key)
        const error = one.error ?? (isNew ? undefined : "is in this job already")
        return error === undefined ? [] : [{ user: one.user, error }]
      })
      return { taken: given.length - refused.length, refused } satisfies Added
    })
)
