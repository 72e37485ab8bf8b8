import { guard } from "#layers/http/body/BodyGuard.ts"
import { CheckedRequest } from "#layers/http/body/CheckedRequest.ts"
import { errorReply } from "#layers/http/ErrorReply.ts"
import { unavailable } from "#layers/http/Replies.ts"
import { type Callback, Callbacks, type Receiver } from "#src/reports/Callbacks.ts"
import * as OnceAMinute from "#src/reports/OnceAMinute.ts"
import * as Patience from "#src/store/Patience.ts"
import * as Now from "#src/fibers/Now.ts"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** 200 and no other 2xx: Postmark repeats what was answered with another one. */
const taken = HttpServerResponse.jsonUnsafe({}, { status: 200 })
const refused = errorReply(401, "The callback is not signed by its provider", "authentication_error")
const unknown = errorReply(404, "Not Found", "invalid_request_error")

const first = (header: string | undefined): string | undefined => header?.split(",", 1)[0]?.trim()

/** Path and query as the caller sent them. */
const targetOf = ({ originalUrl }: HttpServerRequest.HttpServerRequest): string =>
  originalUrl.replace(/^https?:\/\/[^/]*/, "")

/**
 * The URLs that the provider may have called. A caller can claim any host: the URL serves only to check what the
 * provider signed.
 */
const urls = (request: HttpServerRequest.HttpServerRequest): ReadonlyArray<string> =>
  [first(request.headers["x-forwarded-host"]), request.headers["host"]].flatMap((host) =>
    host === undefined ? [] : [`https://${host}${targetOf(request)}`, `http://${host}${targetOf(request)}`]
  )

const callback = (request: HttpServerRequest.HttpServerRequest): Callback => ({
  urls: urls(request),
  query: new URLSearchParams(targetOf(request).split("?", 2)[1] ?? ""),
  headers: request.headers,
  body: request instanceof CheckedRequest ? request.bytes : new Uint8Array(0)
})

/**
 * How long it may take to apply a callback. Before the store is asked, the provider may be: for its certificate, or to
 * confirm a subscription, for 5 s each.
 */
const applying = "12 seconds"

/** Tells the log why callbacks of a configuration are not taken. */
const complaints = () => {
  const isNews = OnceAMinute.make()
  return Effect.fnUntraced(function*(sentence: string, configuration: string, detail: string) {
    const now = yield* Now.monotonicMillis
    if (isNews(`${sentence}:${configuration}`, now)) yield* Effect.logWarning(sentence, { configuration, detail })
  })
}

type Patiently = Effect.Success<ReturnType<typeof Patience.asking>>

const receive = (
  receiver: Receiver,
  configuration: string,
  patiently: Patiently,
  complain: ReturnType<typeof complaints>
) =>
  HttpServerRequest.HttpServerRequest.pipe(
    Effect.flatMap((request) => patiently(receiver(callback(request)))),
    Effect.as(taken),
    Effect.catchTags({
      Forged: ({ detail }) => Effect.as(complain("A callback was refused", configuration, detail), refused),
      Unverifiable: ({ detail }) =>
        Effect.andThen(complain("A callback could not be verified", configuration, detail), unavailable),
      StoreUnavailable: () => unavailable
    })
  )

/**
 * POST /callbacks/:configuration_id (ours): what a provider reports about messages. It needs no API key, but the
 * provider's signature. 200: its receipts are stored, whether their messages are known or not; 401: not signed; 404: a
 * configuration that takes no callbacks; 503 asks the provider to call again.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const callbacks = yield* Callbacks
  const finding = yield* Patience.asking(Patience.callers)
  const patiently = yield* Patience.asking(applying)
  const complain = complaints()
  yield* router.add(
    "POST",
    "/callbacks/:configuration_id",
    Effect.gen(function*() {
      const { configuration_id: id = "" } = yield* HttpRouter.params
      const receiver = yield* finding(callbacks.receiver(id))
      return yield* guard(receive(receiver, id, patiently, complain))
    }).pipe(Effect.catchTags({ NoCallbacks: () => Effect.succeed(unknown), StoreUnavailable: () => unavailable }))
  )
}))
