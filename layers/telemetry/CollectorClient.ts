import * as Otel from "#layers/telemetry/Otel.ts"
import * as Outage from "#src/store/Outage.ts"
import { Effect, Layer, Option, Semaphore } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** How many batches of a signal may wait for an answer: each holds a connection and its body. */
const waiting = 8

const late = (request: HttpClientRequest.HttpClientRequest, limitMs: number) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, description: `no answer within ${limitMs / 1_000} s` })
  })

/** To the exporter a dropped batch is a sent one: after a failure it would drop all others for a minute. */
const dropped = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))

/**
 * What failed below `fetch`, which itself speaks only of what it was given, and quotes headers and logins. A URL's path
 * may hold a token (P9).
 */
const reasonOf = ({ reason }: HttpClientError.HttpClientError): string => {
  const failure = "cause" in reason && reason.cause instanceof Error ? reason.cause.cause : undefined
  if (!(failure instanceof Error)) return reason.description ?? reason._tag
  const text = failure.message === "" && "code" in failure ? String(failure.code) : failure.message
  return text.replaceAll(/https?:\/\/[^\s)]+/g, "…")
}

/**
 * Sends one signal to the collector. It gives up a request that has no whole answer in time, drops what a slow collector
 * leaves no room for, and tells once of a collector that takes nothing, and of its return: the exporters drop what they
 * cannot send.
 */
export const layer = (signal: Otel.Signal) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function*() {
      const limitMs = yield* Effect.orDie(Otel.limitOf(signal))
      const about = { signal: signal.toLowerCase() }
      const outage = Outage.make({
        lost: (reason) => Effect.logWarning("telemetry cannot be sent", { ...about, reason }),
        found: Effect.logInfo("telemetry is sent again", about)
      })
      const tellOfDrops = yield* Effect.cached(
        Effect.logWarning("telemetry is dropped: the collector is too slow", about)
      )
      const places = yield* Semaphore.make(waiting)
      const heard = ({ status }: HttpClientResponse.HttpClientResponse) =>
        status < 400 ? outage.found() : outage.lost(`the collector answered ${status}`)
      return HttpClient.transform(yield* HttpClient.HttpClient, (answer, request) =>
        answer.pipe(
          Effect.tap((response) => Effect.ignore(response.arrayBuffer)),
          Effect.timeoutOrElse({ duration: limitMs, orElse: () => Effect.fail(late(request, limitMs)) }),
          Effect.tap(heard),
          Effect.tapError((error) => outage.lost(reasonOf(error))),
          places.withPermitsIfAvailable(1),
          Effect.flatMap(Option.match({
            onNone: () => Effect.as(tellOfDrops, dropped(request)),
            onSome: Effect.succeed
          }))
        ))
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))
