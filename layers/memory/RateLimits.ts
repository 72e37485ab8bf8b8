import { Database } from "#layers/memory/Database.ts"
import { counterOf, RateLimits, windowMs, windowStart, workspaceOf } from "#src/access/RateLimits.ts"
import { Clock, Effect, HashMap, Layer, Option } from "effect"

/** Counters in memory. */
export const layer = Layer.effect(
  RateLimits,
  Effect.gen(function*() {
    const { modify } = yield* Database
    return RateLimits.of({
      take: Effect.fnUntraced(function*(scope, rule) {
        const { limit } = rule
        const start = windowStart(yield* Clock.currentTimeMillis)
        const key = `${workspaceOf(scope)} ${counterOf(rule)}`
        return yield* modify((state) => {
          const known = Option.getOrUndefined(HashMap.get(state.access.counts, key))
          const count = known !== undefined && known.start === start ? Math.min(known.count, limit) + 1 : 1
          const current = HashMap.filter(state.access.counts, (counter) => counter.start >= start)
          const counts = HashMap.set(current, key, { start, count })
          return [{ count, endsAt: start + windowMs }, { ...state, access: { ...state.access, counts } }]
        })
      })
    })
  })
)
