import { CheckedRequest } from "#layers/http/body/CheckedRequest.ts"
import { errorReply } from "#layers/http/ErrorReply.ts"
import { counting, CurrentCount, type Left } from "#layers/http/Limited.ts"
import { isRehearsal } from "#layers/http/Rehearsed.ts"
import { badRequest, unavailable } from "#layers/http/Replies.ts"
import * as Segments from "#layers/http/Segments.ts"
import { fromStored, isReplay, toStored } from "#layers/http/StoredReply.ts"
import { AnswersSecret } from "#schemas/api/AnswersSecret.ts"
import { CommittedByJournal } from "#schemas/api/CommittedByJournal.ts"
import { Conflict } from "#schemas/api/Errors.ts"
import { RunApart } from "#schemas/api/RunApart.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as Idempotency from "#src/access/Idempotency.ts"
import * as IdempotencyHeaders from "#src/access/IdempotencyHeaders.ts"
import * as SealedAnswers from "#src/access/SealedAnswers.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { Intake } from "#src/delivery/Intake.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Context, Data, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { createHash } from "node:crypto"

/**
 * Runs every POST once per `Idempotency-Key` (P5; reliability.md 2.2). It acts on the method, so no endpoint can be
 * forgotten. The annotations `CommittedByJournal` and `RunApart` only choose who commits the key, `AnswersSecret` how
 * the answer is kept. Where the rate is limited (`Limited`), a replay is not counted.
 */
export class Once extends HttpApiMiddleware.Service<Once, { requires: CurrentPrincipal }>()("tidings/http/Once", {
  error: Conflict
}) {}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Endpoint = Pick<HttpApiEndpoint.Top, "method" | "path" | "payload" | "annotations">
type Answers = Idempotency.Idempotency["Service"]
type Asked = CurrentPrincipal | HttpRouter.RouteContext | HttpServerRequest.HttpServerRequest
type Run = <R>(
  key: Idempotency.IdempotencyKey,
  handler: Effect.Effect<Response, never, R>
) => Effect.Effect<Response, never, Asked | R>

/**
 * Whether a response is kept for replays. These statuses are not: nothing ran, or the request may succeed the next
 * time.
 */
const isStored = ({ status }: Response): boolean => ![401, 413, 415, 429, 503].includes(status)

const stillRunning = errorReply(409, "A request with this Idempotency-Key is still running", "invalid_request_error", {
  "retry-after": "1"
})

/** `IdempotencyKey.bodyHash`. */
export const hashOf = (body: Uint8Array | string): string => createHash("sha256").update(body).digest("hex")

/** Characters of a path that are kept as they are. An index of Postgres takes 2,700 bytes of path and key. */
const longestPath = 1_000

/**
 * The path with its parameters filled in, in one normal form, without the query. A longer one than the store's index
 * takes goes by its hash.
 */
const pathOf = (path: string, params: HttpRouter.RouteContext["Service"]["params"]): string => {
  const filled = Segments.filled(path, params).map((segment) => `/${encodeURIComponent(segment)}`).join("")
  return filled.length > longestPath ? `sha256:${hashOf(filled)}` : filled
}

/**
 * Carries a response that is not kept through the store, as the cause of the failure that takes back what ran. A
 * duplicate that waited for this call is given it too.
 */
class Unkept extends Data.Class<{ readonly response: Response }> {}

/**
 * Whether the endpoint will refuse the body as invalid JSON. It does so before the operation runs, so that refusal is
 * not stored.
 */
const isMalformed = (request: Request, endpoint: Endpoint): Effect.Effect<boolean> =>
  endpoint.payload.size === 0 || !(request instanceof CheckedRequest)
    ? Effect.succeed(false)
    : Effect.isFailure(request.json)

const once = (answers: Answers): Run => (key, handler) =>
  Effect.matchEffect(
    answers.once(
      key,
      Effect.flatMap(handler, (response) =>
        isStored(response)
          ? toStored(response)
          : Effect.fail(new StoreUnavailable({ cause: new Unkept({ response }) })))
    ),
    {
      onSuccess: (answer) => Effect.succeed(fromStored(answer)),
      onFailure: (error) =>
        error._tag === "StillRunning"
          ? Effect.succeed(stillRunning)
          : error.cause instanceof Unkept
          ? Effect.succeed(error.cause.response)
          : unavailable
    }
  )

/** Runs only if no answer is kept yet. */
const unlessKept = <R>(answers: Answers, key: Idempotency.IdempotencyKey, run: Effect.Effect<Response, never, R>) =>
  Effect.matchEffect(answers.find(key), {
    onSuccess: (found) =>
      Option.isSome(found) ? Effect.succeed(fromStored({ response: found.value, replayed: true })) : run,
    onFailure: () => unavailable
  })

/**
 * For an endpoint that stores nothing: it runs if no answer is kept yet, and outside of the transaction that keeps its
 * answer. Of two calls at the same time both run, and the answer of the first to end is kept.
 */
const apart = (answers: Answers): Run => {
  const kept = once(answers)
  return (key, handler) =>
    unlessKept(answers, key, Effect.flatMap(handler, (response) => kept(key, Effect.succeed(response))))
}

/** For a handler that commits the key with its own rows. Only a refusal, for which it wrote nothing, is kept here. */
const committed = (intake: Intake["Service"]): Run => (key, handler) =>
  handler.pipe(
    Effect.flatMap((response) => {
      if (response.status < 400 || isReplay(response) || !isStored(response)) return Effect.succeed(response)
      return Effect.matchEffect(Effect.flatMap(toStored(response), intake.keep), {
        onSuccess: (accepted) => Effect.succeed(fromStored(accepted)),
        onFailure: (error) => error._tag === "StoreUnavailable" ? unavailable : Effect.succeed(response)
      })
    }),
    Effect.provideService(Idempotency.CurrentKey, key)
  )

/**
 * For an endpoint with a limit: counts the call, unless an answer is kept, and runs it outside of what the store does
 * for that. A duplicate is counted while the first call still runs: no answer is kept yet.
 */
const counted = (answers: Answers, count: Effect.Effect<Left, Response, Asked>, run: Run): Run => (key, handler) =>
  unlessKept(
    answers,
    key,
    Effect.matchEffect(count, {
      onSuccess: (left) => run(key, Effect.provideService(handler, CurrentCount, left)),
      onFailure: Effect.succeed
    })
  )

/**
 * For a dry run. It neither keeps an answer nor is given one: what a dry run is told, even that it is refused, is no
 * answer to the send itself.
 */
const keyless: Run = (_, handler) => handler

const keyed = Effect.fnUntraced(function*<R>(
  value: string,
  request: Request,
  endpoint: Endpoint,
  handler: Effect.Effect<Response, never, R>,
  run: Run
) {
  const now = yield* Clock.currentTimeMillis
  const { grant, scope } = yield* CurrentPrincipal
  // Of a user's token, answers are kept no longer than by default: anybody's app could fill the store with them.
  const expiration = grant === undefined ? request.headers["x-idempotency-expiration"] : undefined
  const header = yield* Effect.result(IdempotencyHeaders.parse(value, expiration, now))
  if (header._tag === "Failure") return badRequest(header.failure.detail)
  if (yield* isMalformed(request, endpoint)) return yield* handler
  const { params } = yield* HttpRouter.RouteContext
  return yield* run(
    {
      ...header.success,
      scope,
      path: pathOf(endpoint.path, params),
      bodyHash: hashOf(request instanceof CheckedRequest ? request.bytes : "")
    },
    handler
  )
})

export const layer = Layer.effect(
  Once,
  Effect.gen(function*() {
    const idempotency = yield* Idempotency.Idempotency
    const sealed = SealedAnswers.make(idempotency, yield* SecretKey)
    const byJournal = committed(yield* Intake)
    const countOf = yield* counting
    const runOf = (endpoint: HttpApiEndpoint.Top): Run => {
      const answers = Context.get(endpoint.annotations, AnswersSecret) ? sealed : idempotency
      const by = Context.get(endpoint.annotations, CommittedByJournal)
        ? byJournal
        : Context.get(endpoint.annotations, RunApart)
        ? apart(answers)
        : once(answers)
      const count = countOf(endpoint)
      return count === undefined ? by : counted(answers, count, by)
    }
    return (handler, { endpoint }) => {
      if (endpoint.method !== "POST") return handler
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const value = request.headers["idempotency-key"]
        if (value !== undefined) {
          const kept = isRehearsal(endpoint, request) ? keyless : runOf(endpoint)
          return keyed(value, request, endpoint, Effect.orDie(handler), kept)
        }
        // A bad expiration is refused even without a key whose life it would set.
        const isGood = IdempotencyHeaders.isExpiration(request.headers["x-idempotency-expiration"])
        return isGood ? handler : Effect.succeed(badRequest(IdempotencyHeaders.notADate))
      })
    }
  })
)
