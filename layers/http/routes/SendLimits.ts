import * as Group from "#layers/http/Group.ts"
import { whole } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { BadRequest } from "#schemas/api/Errors.ts"
import type { SendLimitResponse } from "#schemas/api/SendLimits.ts"
import type { Scope } from "#schemas/Scope.ts"
import { faultOf } from "#schemas/SendLimit.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as Limiting from "#src/flows/Limiting.ts"
import { type CountName, SendCounts } from "#src/flows/SendCounts.ts"
import { type SendLimitRecord, SendLimits } from "#src/flows/SendLimits.ts"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** A count that was read. */
interface Used {
  readonly count: CountName
  readonly used: number
}

const response = ({ created, per, period, said, updated }: SendLimitRecord, read?: Used): SendLimitResponse => ({
  per,
  period,
  limit: said.limit ?? undefined,
  overrides: said.overrides ?? undefined,
  excluded_topics: said.excluded_topics ?? undefined,
  used: read?.used,
  resets: read?.count.until,
  created,
  updated
})

/** Of whom a list tells how many messages count by now. */
interface Asked {
  readonly user_id?: string | undefined
  readonly topic_id?: string | undefined
  readonly tenant_id?: string | undefined
}

const limitedOf = (
  scope: Scope,
  { tenant_id: tenantId, topic_id: topicId, user_id: userId }: Asked
): Limiting.Limited => ({
  recipientKey: userId === undefined ? undefined : Recipients.userKey(scope, userId),
  userId,
  topicId,
  tenantId
})

/** /send-limits. */
export const layer = Group.layer(Effect.gen(function*() {
  const limits = yield* SendLimits
  const counts = yield* SendCounts

  const list = Effect.fnUntraced(function*(scope: Scope, asked: Asked) {
    const found = yield* limits.list(scope)
    const now = yield* Clock.currentTimeMillis
    const limited = limitedOf(scope, asked)
    const counted = found.flatMap((limit) => {
      const tally = Limiting.tallyOf(limit, limited)
      return tally === undefined ? [] : [{ limit, count: Limiting.countAt(tally, now) }]
    })
    const used = counted.length === 0 ? [] : yield* counts.used(scope, counted.map(({ count }) => count))
    const read = new Map(counted.map(({ count, limit }, n) => [limit, { count, used: used[n] ?? 0 }]))
    return found.map((limit) => response(limit, read.get(limit)))
  }, refusals)

  return HttpApiBuilder.group(Served, "sendLimits", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { scope } = yield* CurrentPrincipal
        return { paging: whole, items: yield* list(scope, query) }
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* refusals(limits.get(scope, params)))
      }),
      put: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        const fault = faultOf(params.per, payload)
        if (fault !== undefined) return yield* new BadRequest({ message: fault })
        return response(yield* refusals(limits.put(scope, params, payload)))
      }),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* refusals(limits.remove(scope, params))
      })
    }))
}))
