import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import { faultCode } from "#layers/outbound/FaultCode.ts"
import * as Proxy from "#layers/outbound/Proxy.ts"
import type * as Connector from "#layers/providers/Connector.ts"
import * as Deadline from "#layers/providers/Deadline.ts"
import * as VendorAgents from "#layers/providers/VendorAgents.ts"
import { Misconfigured, Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import { OutboundNotSent, OutboundRefused } from "#src/delivery/Outbound.ts"
import type * as Undici from "@effect/platform-node/Undici"
import { Clock, Config, Context, Effect, Layer, Option, Result } from "effect"
import { Buffer } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import { gunzipSync } from "node:zlib"

export interface VendorRequest {
  readonly method: "GET" | "POST"
  /** Absolute; its host is a vendor's own, or of a setting (`base_url`). */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /**
   * Speak HTTP/2 (in clear text, with prior knowledge, to an `http:` URL), over connections that only requests of the
   * same name share.
   */
  readonly http2?: string | undefined
}

export interface VendorAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Empty if it could not be read to its end. */
  readonly body: string
  /** Whether the body was read to its end. */
  readonly whole: boolean
}

/** The calls that hand over one message, which share one deadline. */
export interface Line {
  /**
   * The call that makes the vendor send the message. If it is cut off after its first byte may have left, its outcome
   * is unknown.
   */
  readonly send: (request: VendorRequest) => Effect.Effect<VendorAnswer, Unavailable | Misconfigured | Unknown>
  /** A call that only prepares (a token, a look-up): whatever becomes of it, the message was not sent. */
  readonly prepare: (request: VendorRequest) => Effect.Effect<VendorAnswer, Unavailable | Misconfigured>
}

/**
 * The HTTP client for vendors: pooled connections, no redirects, answers of at most 1 MB, and one deadline over all
 * calls of a hand-over, including connecting. Interruption closes what is in flight. Hosts that callers or recipients name
 * go through `Outbound` instead, but for a vendor's own (`IncomingWebhook`); what a vendor's may be, `VendorAgents` says.
 */
export class VendorHttp extends Context.Service<VendorHttp, {
  /** Starts the clock of one hand-over. */
  readonly line: Effect.Effect<Line>
}>()("tidings/VendorHttp") {}

const hostOf = (url: string): string => URL.canParse(url) ? new URL(url).host : "The vendor's URL"

/** Bytes; no vendor has more to say about one message. */
const longestAnswer = 1_000_000

/** Needed although no encoding was asked for: proxies in front of vendors choose one. */
const unzipped = Option.liftThrowable((bytes: Uint8Array): Uint8Array =>
  gunzipSync(bytes, { maxOutputLength: longestAnswer })
)

/** The body as the vendor wrote it; none if it cannot be decoded. */
const decoded = (bytes: Uint8Array, encoding: string | undefined): Option.Option<string> =>
  (/^(?:x-)?gzip$/i.test(encoding ?? "") ? unzipped(bytes) : Option.some(bytes)).pipe(
    Option.map((plain) => new TextDecoder().decode(plain))
  )

/** Codes of requests that undici refuses to write: a setting holds what a header or URL may not contain. */
const unwritable = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED", "ERR_INVALID_URL"])

const flat = (headers: IncomingHttpHeaders): VendorAnswer["headers"] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value])
  )

/** Before a deadline, in ms. */
const early = 1_000

/**
 * Gives undici up before the deadline where requests share a connection: only then does it ask the peer for a sign of
 * life, and replace a connection that a firewall forgot. The deadline ends the request alone.
 */
const patience = ({ http2 }: VendorRequest, leftMs: number) => {
  const timeout = Math.max(early, Math.floor(leftMs) - early)
  return http2 === undefined ? {} : { headersTimeout: timeout, bodyTimeout: timeout }
}

type Pools = Effect.Success<ReturnType<typeof VendorAgents.make>>

type Fault = Unavailable | Misconfigured | Unknown

/**
 * Makes one request on the agent's pool. If it is cut off by its deadline or an interruption, its connection is closed
 * too.
 */
const exchange = (pools: Pools, request: VendorRequest, leftMs: number) =>
  Effect.suspend(() => {
    if (!/^https?:/.test(request.url) || !URL.canParse(request.url)) {
      return Effect.fail(new Misconfigured({ detail: "The vendor's URL is none" }))
    }
    const url = new URL(request.url)
    const pool = pools(url, request.http2)
    if (Result.isFailure(pool)) return Effect.fail(new Misconfigured({ detail: pool.failure.detail }))
    const chunks: Array<Uint8Array> = []
    let length = 0
    let head: Pick<VendorAnswer, "status" | "headers"> | undefined
    // Given to a connection: from now on its bytes may have left.
    let handed = false
    let over = false
    let controller: Undici.Dispatcher.DispatchController | undefined

    const failed = (fault: string): Effect.Effect<VendorAnswer, Fault> => {
      if (head !== undefined) return Effect.succeed({ ...head, body: "", whole: false })
      const detail = `${url.host}: ${fault}`
      if (handed) return Effect.fail(new Unknown({ detail }))
      return Effect.fail(unwritable.has(fault) ? new Misconfigured({ detail }) : new Unavailable({ detail }))
    }
    return Effect.callback<VendorAnswer, Fault>((resume) => {
      // Not the Clock's sleep, which is a fiber and costs a third of a call. Virtual time could not drive a socket
      // anyway.
      const timer = setTimeout(() => {
        resume(failed("deadline"))
        cut()
      }, Math.ceil(leftMs))
      const done = (result: Effect.Effect<VendorAnswer, Fault>) => {
        clearTimeout(timer)
        resume(result)
      }
      const cut = () => {
        clearTimeout(timer)
        over = true
        controller?.abort(new Error("over"))
      }
      const handler: Undici.Dispatcher.DispatchHandler = {
        onRequestStart: (given) => {
          controller = given
          if (over) given.abort(new Error("over"))
          else handed = true
        },
        onResponseStart: (_, status, headers) => {
          if (status >= 200) head = { status, headers: flat(headers) }
        },
        onResponseData: (_, chunk) => {
          length += chunk.length
          if (length <= longestAnswer) chunks.push(chunk)
          else {
            resume(failed("too long an answer"))
            cut()
          }
        },
        onResponseEnd: () => {
          if (head === undefined) return
          const answered = head
          done(Option.match(decoded(Buffer.concat(chunks), head.headers["content-encoding"]), {
            onNone: () => failed("unreadable answer"),
            onSome: (body) => Effect.succeed({ ...answered, body, whole: true })
          }))
        },
        onResponseError: (_, error) => {
          if (error instanceof OutboundRefused) return done(Effect.fail(new Misconfigured({ detail: error.detail })))
          if (error instanceof OutboundNotSent) return done(Effect.fail(new Unavailable({ detail: error.detail })))
          done(failed(faultCode(error)))
        }
      }
      const { body = null, method } = request
      const headers = { "user-agent": "Tidings", "accept-encoding": "identity", ...request.headers }
      try {
        pool.success.dispatch(
          { origin: url.origin, path: url.pathname + url.search, method, headers, body, ...patience(request, leftMs) },
          handler
        )
      } catch (error) {
        done(failed(faultCode(error)))
      }
      return Effect.sync(cut)
    })
  })

/** `deadlineMs`: for one hand-over, from its first look-up to the last byte of its last answer. */
export const make = Effect.fnUntraced(function*(options: Connector.Guard & { readonly deadlineMs: number }) {
  const pools = yield* VendorAgents.make(options)

  const line = Effect.map(Clock.monotonicTimeNanos, (started): Line => {
    const send = (request: VendorRequest) =>
      Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
        const left = options.deadlineMs - Number(now - started) / 1e6
        // Timers may fire a ms early, and that leaves no time to send.
        return left >= 2
          ? exchange(pools, request, left)
          : Effect.fail(new Unavailable({ detail: `${hostOf(request.url)}: deadline` }))
      })
    const prepare = (request: VendorRequest) =>
      Effect.catchTag(send(request), "Unknown", ({ detail }) => Effect.fail(new Unavailable({ detail })))
    return { send, prepare }
  })

  return VendorHttp.of({ line })
})

export const layer = Layer.effect(
  VendorHttp,
  Effect.flatMap(
    Config.all({ allow: AddressPolicy.allowed, proxies: Proxy.proxies }),
    (guard) => make({ ...guard, deadlineMs: Deadline.handOver })
  )
)
