import type { AudienceFilter } from "#schemas/Audience.ts"
import * as Scan from "#src/delivery/conditions/Scan.ts"
import * as Filter from "#src/people/AudienceFilter.ts"
import * as AudienceRules from "#src/people/AudienceRules.ts"
import { Effect } from "effect"

/** An audience as it is now: users are judged by it. */
export interface Judge {
  readonly id: string
  readonly version: number
  readonly filter: AudienceFilter | undefined
}

/** A user as he is now. `subject` is `undefined` if he has no profile, and so belongs to no audience. */
export interface Judged {
  readonly userId: string
  readonly subject: Filter.Subject | undefined
}

/** A stored membership. */
export interface Standing {
  readonly audienceId: string
  readonly userId: string
  readonly version: number
  readonly reason: string
}

/** How many users are judged before other work of this process gets its turn. */
export const turn = 50

/**
 * How many rules are evaluated before it yields, about 20 ms of work: each user is held against the rules of every
 * audience. So much that is looked through for them counts as one.
 */
const rulesAtOnce = 20_000
const scannedByRule = 256

/** Memberships to store, those among them of users who were no members, and memberships to remove. */
export interface Changes {
  readonly put: ReadonlyArray<Standing>
  readonly joined: ReadonlyArray<Standing>
  readonly removed: ReadonlyArray<Standing>
}

/** The changes that bring the stored memberships of these users in line with what the audiences say now. */
export const between = Effect.fnUntraced(function*(
  audiences: ReadonlyArray<Judge>,
  users: ReadonlyArray<Judged>,
  standings: ReadonlyArray<Standing>
) {
  const stored = new Map(
    standings.map((standing) => [JSON.stringify([standing.audienceId, standing.userId]), standing])
  )
  const judges = audiences.flatMap(({ filter, ...judge }) =>
    filter === undefined ? [] : [{ ...judge, filter, rules: 1 + AudienceRules.count(filter.filters) }]
  )
  const put: Array<Standing> = []
  const joined: Array<Standing> = []
  let asked = 0
  for (const { subject, userId } of users) {
    if (subject === undefined) continue
    for (const { filter, id, rules, version } of judges) {
      asked += rules
      if (asked > rulesAtOnce) {
        asked = 0
        yield* Effect.yieldNow
      }
      const scan = Scan.make()
      const isMember = Filter.matches(filter, subject, scan)
      asked += Math.floor((Scan.most - scan.left) / scannedByRule)
      if (!isMember) continue
      const key = JSON.stringify([id, userId])
      const before = stored.get(key)
      const reason = Filter.reason(filter, subject)
      stored.delete(key)
      if (before?.version === version && before.reason === reason) continue
      const standing = { audienceId: id, userId, version, reason }
      put.push(standing)
      if (before === undefined) joined.push(standing)
    }
  }
  return { put, joined, removed: [...stored.values()] }
})
