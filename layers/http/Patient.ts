import { isRehearsal } from "#layers/http/Rehearsed.ts"
import { unavailable } from "#layers/http/Replies.ts"
import { AnsweredByLookup } from "#schemas/api/AnsweredByLookup.ts"
import { Unavailable } from "#schemas/api/Errors.ts"
import { MayTakeLong } from "#schemas/api/MayTakeLong.ts"
import { LongWork } from "#src/store/LongWork.ts"
import * as Patience from "#src/store/Patience.ts"
import { Cause, Context, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"

/**
 * Answers 503 when the database does not answer in time: no caller waits on a silent connection (P1, reliability.md
 * 2.6).
 */
export class Patient extends HttpApiMiddleware.Service<Patient>()("tidings/http/Patient", { error: Unavailable }) {}

type Reply<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/**
 * How long a caller waits for `LongWork`. A change of a provider's name takes 2 s for 60,000 open messages that were
 * tried over it and 14 s for 200,000: with less patience, each retry would begin it anew and none would end it.
 */
const longest = "1 minute"

/** Limits how long a caller waits, as others wait, until the work that takes longer has begun. */
const unlessLong = Effect.map(
  Patience.within(longest),
  (patiently) => <E, R>(handler: Reply<E, R>) =>
    Effect.suspend(() => {
      let hasBegun = false
      const begun = Effect.sync(() => {
        hasBegun = true
      })
      const silence = Effect.suspend(() => hasBegun ? Effect.never : Effect.fail(new Cause.TimeoutError()))
      return Effect.raceFirst(
        patiently(Effect.provideService(handler, LongWork, begun)),
        Effect.andThen(Effect.sleep(Patience.callers), silence)
      )
    })
)

/**
 * The journal and the lookups apply the same time limit themselves. A plain send waits for the journal alone, and reads
 * that are `AnsweredByLookup` for lookups alone: they need no timer and no fiber of their own.
 */
export const layer = Layer.effect(
  Patient,
  Effect.gen(function*() {
    const patiently = yield* Patience.within(Patience.callers)
    const longer = yield* unlessLong
    const limited = <E, R>(handler: Reply<E, R>) =>
      Effect.catchTag(patiently(handler), "TimeoutError", () => unavailable)
    return (handler, { endpoint }) => {
      if (Context.get(endpoint.annotations, AnsweredByLookup)) return handler
      if (Context.get(endpoint.annotations, MayTakeLong))
        return Effect.catchTag(longer(handler), "TimeoutError", () => unavailable)
      if (endpoint.path !== "/send") return limited(handler)
      return Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        (request) => isRehearsal(endpoint, request) ? limited(handler) : handler
      )
    }
  })
)
