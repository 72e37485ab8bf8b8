import { faultCode } from "#layers/outbound/FaultCode.ts"
import { Misconfigured, Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as Undici from "@effect/platform-node/Undici"
import { Clock, Context, Effect, Layer } from "effect"
import { HttpBody, HttpClient, HttpClientRequest } from "effect/http"

export interface VendorRequest {
  readonly method: "GET" | "POST"
  /** Absolute; its host is the operator's choice (a vendor's own, or `base_url`), never a caller's. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Speak HTTP/2 (in clear text, with prior knowledge, to an `http:` URL). */
  readonly http2?: boolean | undefined
}

export interface VendorAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Empty where it could not be read to its end. */
  readonly body: string
  /** The body was read to its end. */
  readonly whole: boolean
}

/** The calls of one hand-over, which share one deadline. */
export interface Line {
  /** The call that makes the vendor send: cut after its first byte may have left, its outcome is unknown. */
  readonly send: (request: VendorRequest) => Effect.Effect<VendorAnswer, Unavailable | Misconfigured | Unknown>
  /** A call that sends nothing yet (a token, a look-up): whatever becomes of it, the message was not sent. */
  readonly prepare: (request: VendorRequest) => Effect.Effect<VendorAnswer, Unavailable | Misconfigured>
}

/**
 * The way to the vendors: pooled connections, no redirects, answers of at most 1 MB, and one deadline over all calls of
 * a hand-over, connecting included. Interruption closes what is in flight. Vendors' hosts are the operator's own
 * choice; hosts that callers or recipients name go through `Outbound` instead.
 */
export class VendorHttp extends Context.Service<VendorHttp, {
  /** Starts the clock of one hand-over. */
  readonly line: Effect.Effect<Line>
}>()("tidings/VendorHttp") {}

const agentOptions: Undici.Agent.Options = {
  // A vendor that hangs may not take every socket; what waits here is proved not sent.
  connections: 64,
  pipelining: 1,
  maxResponseSize: 1_000_000,
  maxHeaderSize: 16_384,
  autoSelectFamily: true
}

interface Progress {
  /** The request was given to a connection: from here on its bytes may have left. */
  handed: boolean
  answer: Omit<VendorAnswer, "body" | "whole"> | undefined
}

/** Tells the `handed` function among a request's options when the request is given to a connection. */
const watched: Undici.Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (controller, context) => {
      if ("handed" in options && typeof options.handed === "function") options.handed()
      handler.onRequestStart?.(controller, context)
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args)
  })

const client = Effect.fnUntraced(function*(options: Undici.Agent.Options) {
  const agent = yield* NodeHttpClient.makeDispatcherOptions(options)
  return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, agent.compose(watched))
})

const outgoing = (request: VendorRequest) => {
  const headers = { "user-agent": "Tidings", ...request.headers }
  const made = HttpClientRequest.make(request.method)(request.url, { headers })
  return request.body === undefined
    ? made
    : HttpClientRequest.setBody(made, HttpBody.text(request.body, request.headers["content-type"]))
}

const hostOf = (url: string): string => URL.canParse(url) ? new URL(url).host : "The vendor's URL"

/** A request that undici would not even write: a setting holds what no header or URL may. */
const unwritable = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED", "ERR_INVALID_URL"])

/** Every cause of an HTTP failure, outermost first. */
const causes = (error: unknown): ReadonlyArray<unknown> =>
  error instanceof Error ? [error, ...causes(error.cause)] : []

const codeOf = (error: unknown): string => {
  const codes = causes(error).map(faultCode)
  return codes.find((code) => /^[A-Z][A-Z0-9_]+$/.test(code)) ?? codes.at(-1) ?? "Error"
}

/** `deadlineMs`: for one hand-over, from its first look-up to the last byte of its last answer. */
export const make = Effect.fnUntraced(function*(options: { readonly deadlineMs: number }) {
  const http1 = yield* client({ ...agentOptions, allowH2: false })
  const http2 = yield* client({ ...agentOptions, allowH2: true, h2Options: { useH2c: true } })

  const exchange = Effect.fnUntraced(function*(request: VendorRequest, leftMs: number) {
    const progress: Progress = { handed: false, answer: undefined }
    const host = hostOf(request.url)
    const failed = (fault: string): Effect.Effect<VendorAnswer, Unavailable | Misconfigured | Unknown> => {
      if (progress.answer !== undefined) return Effect.succeed({ ...progress.answer, body: "", whole: false })
      const detail = `${host}: ${fault}`
      if (progress.handed) return Effect.fail(new Unknown({ detail }))
      return Effect.fail(unwritable.has(fault) ? new Misconfigured({ detail }) : new Unavailable({ detail }))
    }
    const marks = { idempotent: false, handed: () => { progress.handed = true } }
    const call = (request.http2 === true ? http2 : http1).execute(outgoing(request)).pipe(
      Effect.flatMap((response) => {
        const answer = progress.answer = { status: response.status, headers: response.headers }
        return Effect.map(response.text, (body): VendorAnswer => ({ ...answer, body, whole: true }))
      }),
      Effect.provideService(NodeHttpClient.UndiciOptions, marks),
      // Its own span would carry the URL, and URLs of vendors hold addresses.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
    return yield* call.pipe(
      Effect.catchTag("HttpClientError", (error) => failed(codeOf(error.reason))),
      Effect.timeoutOrElse({ duration: leftMs, orElse: () => failed("deadline") })
    )
  })

  const line = Effect.map(Clock.monotonicTimeNanos, (started): Line => {
    const send = (request: VendorRequest) =>
      Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
        const left = options.deadlineMs - Number(now - started) / 1e6
        return left > 0
          ? exchange(request, left)
          : Effect.fail(new Unavailable({ detail: `${hostOf(request.url)}: deadline` }))
      })
    const prepare = (request: VendorRequest) =>
      Effect.catchTag(send(request), "Unknown", ({ detail }) => Effect.fail(new Unavailable({ detail })))
    return { send, prepare }
  })

  return VendorHttp.of({ line })
})

/** 15 s for a hand-over: vendors answer in hundreds of ms, and a slower one is better tried again. */
export const layer = Layer.effect(VendorHttp, make({ deadlineMs: 15_000 }))
