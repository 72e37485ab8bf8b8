import { counterOf, RateLimits, windowMs, windowStart, workspaceOf } from "#src/access/RateLimits.ts"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import {
  Clock,
  Context,
  Effect,
  type Exit,
  Fiber,
  Layer,
  Predicate,
  Redacted,
  References,
  Schedule,
  Schema,
  Scope
} from "effect"
import { Redis } from "effect/persistence/Redis"

const decodeCount = Schema.decodeUnknownEffect(Schema.Int)

/** What Redis has not said within this time, the database counts. */
const patience = "250 millis"

/** A start says that Redis counts nothing once it has been silent for so long. */
const silence = "5 seconds"

const reconnect = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("30 seconds")])

/** Its client tells of every attempt to reconnect, one in two seconds. */
const quiet = Layer.succeed(References.MinimumLogLevel, "None")

/** The client waits for what Redis owes it, for ever where that is silent: a stop does not. */
const leave = (scope: Scope.Closeable, exit: Exit.Exit<unknown, unknown>) =>
  Scope.close(scope, exit).pipe(
    Effect.forkDetach({ startImmediately: true }),
    Effect.flatMap(Fiber.join),
    Effect.timeoutOption("1 second"),
    Effect.interruptible
  )

/** In one line: what Redis answered (`OOM command not allowed…`), or why nobody did. The log tells of an error's frames alone. */
const reasonOf = (error: unknown): string => {
  const cause = Predicate.hasProperty(error, "cause") ? error.cause : error
  const text = (name: "code" | "message"): string =>
    Predicate.hasProperty(cause, name) && typeof cause[name] === "string" ? cause[name] : ""
  return text("message") || text("code") || "no answer"
}

/**
 * Counters in Redis, which all nodes share. Where it does not answer, or is not there when the node starts, the store beneath counts: losing
 * Redis costs nothing (P8).
 */
export const layer = (url: Redacted.Redacted) =>
  Layer.effect(
    RateLimits,
    Effect.gen(function*() {
      const beneath = yield* RateLimits
      const scope = yield* Effect.acquireRelease(Scope.make(), leave)
      let redis: Redis["Service"] | undefined

      let failing = false
      let changes = 0
      /** The operator hears of the first failure, and of the first count after it; what began `before` the last of these says nothing new. */
      const tell = (before: number, error?: unknown) =>
        Effect.suspend(() => {
          const isFailure = error !== undefined
          if (before !== changes || isFailure === failing) return Effect.void
          failing = isFailure
          changes++
          return isFailure
            ? Effect.logWarning("Redis counts no rate limits: the store does", { because: reasonOf(error) })
            : Effect.logInfo("Redis counts the rate limits again")
        })

      // What it cannot send now it keeps otherwise, for as long as Redis is gone, and every caller waits out his patience.
      const options = { url: Redacted.value(url), disableOfflineQueue: true }
      yield* Layer.buildWithScope(Layer.provide(NodeRedis.layer(options), quiet), scope).pipe(
        Effect.tap((context) =>
          Effect.sync(() => {
            redis = Context.get(context, Redis)
          })
        ),
        Effect.tapError((error) => tell(changes, error)),
        Effect.retry(reconnect),
        Effect.ignore,
        Effect.forkIn(scope)
      )
      yield* Effect.sleep(silence).pipe(
        Effect.andThen(Effect.suspend(() => redis === undefined ? tell(changes, "silence") : Effect.void)),
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
          const before = changes
          const start = windowStart(yield* Clock.currentTimeMillis)
          return yield* count(redis, `tidings:limits:${workspaceOf(scope)}:${counterOf(rule)}:${start}`).pipe(
            Effect.map((count) => ({ count, endsAt: start + windowMs })),
            Effect.timeout(patience),
            Effect.tap(tell(before)),
            Effect.catch((error) => Effect.andThen(tell(before, error), beneath.take(scope, rule)))
          )
        })
      })
    })
  )
