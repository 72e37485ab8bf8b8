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

/** How long Redis may take for an answer; after that the database counts. */
const patience = "250 millis"

/** If Redis has not connected this long after the start, that is logged. */
const silence = "5 seconds"

const reconnect = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("30 seconds")])

/** Silences the client, which logs every attempt to reconnect, one in two seconds. */
const quiet = Layer.succeed(References.MinimumLogLevel, "None")

/** Closes the client. It waits for outstanding answers, for ever if Redis is silent: a stop waits for 1 s at most. */
const leave = (scope: Scope.Closeable, exit: Exit.Exit<unknown, unknown>) =>
  Scope.close(scope, exit).pipe(
    Effect.forkDetach({ startImmediately: true }),
    Effect.flatMap(Fiber.join),
    Effect.timeoutOption("1 second"),
    Effect.interruptible
  )

/** One line for the log: what Redis answered (`OOM command not allowed…`), or why there was no answer. */
const reasonOf = (error: unknown): string => {
  const cause = Predicate.hasProperty(error, "cause") ? error.cause : error
  const text = (name: "code" | "message"): string =>
    Predicate.hasProperty(cause, name) && typeof cause[name] === "string" ? cause[name] : ""
  return text("message") || text("code") || "no answer"
}

/**
 * Counters in Redis, shared by all nodes. While Redis does not answer, or has not been reached since the start, the
 * store beneath counts: losing Redis costs nothing (P8).
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
      /**
       * Logs the first failure, and the first count that succeeds after it. `before`: the value of `changes` when the
       * call began; a call that began before the last such change says nothing new.
       */
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

      // Without this the client queues commands while Redis is gone, and every caller waits until it times out.
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
        // The counter is made with its expiry, so that none stays behind.
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
