import { RateLimits, windowMs, windowStart, workspaceOf } from "#src/access/RateLimits.ts"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Clock, Context, Effect, Layer, Redacted, Schedule, Schema } from "effect"
import { Redis } from "effect/persistence/Redis"

const decodeCount = Schema.decodeUnknownEffect(Schema.Int)

/** What Redis has not said within this time, the database counts. */
const patience = "250 millis"

const reconnect = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("30 seconds")])

/**
 * Counters in Redis, which all nodes share. Where it does not answer, or is not there when the node starts, the store beneath counts: losing
 * Redis costs nothing (P8).
 */
export const layer = (url: Redacted.Redacted) =>
  Layer.effect(
    RateLimits,
    Effect.gen(function*() {
      const beneath = yield* RateLimits
      const scope = yield* Effect.scope
      let redis: Redis["Service"] | undefined

      yield* Layer.buildWithScope(NodeRedis.layer({ url: Redacted.value(url) }), scope).pipe(
        Effect.tap((context) =>
          Effect.sync(() => {
            redis = Context.get(context, Redis)
          })
        ),
        Effect.retry(reconnect),
        Effect.ignore,
        Effect.forkScoped
      )

      const count = Effect.fnUntraced(function*(client: Redis["Service"], key: string) {
        // With its expiry from the start, so that no counter stays behind.
        yield* client.send("SET", key, "0", "PX", String(2 * windowMs), "NX")
        return yield* client.send("INCR", key).pipe(Effect.flatMap(decodeCount))
      })

      return RateLimits.of({
        take: Effect.fnUntraced(function*(scope, rule) {
          if (redis === undefined) return yield* beneath.take(scope, rule)
          const start = windowStart(yield* Clock.currentTimeMillis)
          return yield* count(redis, `tidings:limits:${workspaceOf(scope)}:${rule.name}:${start}`).pipe(
            Effect.map((count) => ({ count, endsAt: start + windowMs })),
            Effect.timeout(patience),
            Effect.catch(() => beneath.take(scope, rule))
          )
        })
      })
    })
  )
