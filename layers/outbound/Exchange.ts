import { faultCode } from "#layers/outbound/FaultCode.ts"
import type { Target } from "#layers/outbound/Target.ts"
import { type OutboundRequest, type OutboundResponse, OutboundUnknown } from "#src/delivery/Outbound.ts"
import { Effect } from "effect"
import { type IncomingMessage, request as sendRequest } from "node:http"
import type { Socket } from "node:net"

const keptBytes = 64 * 1024
const readBytes = 1024 * 1024
const headerBytes = 16 * 1024

const headersOf = (request: OutboundRequest, target: Target): Record<string, string | number> => {
  const given = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])
  const length = request.body === undefined
    ? (request.method === "GET" || request.method === "HEAD" ? {} : { "content-length": 0 })
    : { "content-length": Buffer.byteLength(request.body) }
  return {
    "user-agent": "Tidings",
    ...Object.fromEntries(given),
    // A compressed answer would be unreadable here, or a decompression bomb.
    "accept-encoding": "identity",
    ...length,
    host: target.authority
  }
}

const answerHeaders = (response: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")])
  )

/** Collects the answer, up to the bytes that are read, and calls back. Only the first call counts. */
const collect = (
  response: IncomingMessage,
  done: (answer: OutboundResponse) => void,
  failed: (fault: string) => void
) => {
  const chunks: Array<Uint8Array> = []
  let read = 0
  let kept = 0
  const answer = () =>
    done({
      status: response.statusCode ?? 0,
      headers: answerHeaders(response),
      // `stream` drops a character that the cut went through.
      body: new TextDecoder().decode(Buffer.concat(chunks), { stream: true }),
      truncated: read > kept
    })
  response.on("data", (chunk: Uint8Array) => {
    const part = chunk.subarray(0, keptBytes - kept)
    if (part.length > 0) chunks.push(part)
    kept += part.length
    read += chunk.length
    if (read > readBytes) answer()
  })
  response.once("end", () => response.complete ? answer() : failed("incomplete"))
  response.on("error", (error) => failed(faultCode(error)))
  response.once("close", () => failed("closed"))
}

/**
 * Writes the request on a connection made for it and reads the answer within `leftMs`. From its first step on, a
 * failure leaves the outcome unknown. The first 64 KiB of an answer are kept, but up to 1 MiB is read, so that an
 * ordinary server is not cut off in mid-answer.
 */
export const exchange = Effect.fnUntraced(
  function*(socket: Socket, target: Target, request: OutboundRequest, leftMs: number) {
    const heard: { status?: number } = {}
    const unknown = (reason: OutboundUnknown["reason"], fault: string) =>
      new OutboundUnknown({ ...heard, reason, detail: `${target.authority}: ${fault}` })

    return yield* Effect.callback<OutboundResponse, OutboundUnknown>((resume) => {
      const fail = (fault: string) =>
        resume(Effect.fail(unknown(fault.startsWith("HPE_") ? "unreadable" : "disconnected", fault)))
      const sending = sendRequest({
        method: request.method,
        path: target.path,
        headers: headersOf(request, target),
        setHost: false,
        maxHeaderSize: headerBytes,
        // Without an agent: one connection, one request, `connection: close`.
        createConnection: () => socket
      })
      sending.on("error", (error) => fail(faultCode(error)))
      // Once there is an answer, only the answer's own end counts: the request may close while the last of the body is
      // still on its way.
      sending.once("close", () => heard.status === undefined && fail("closed"))
      sending.once("upgrade", (response) => {
        heard.status = response.statusCode ?? 0
        resume(Effect.fail(unknown("unreadable", "switched protocols")))
      })
      sending.once("response", (response) => {
        heard.status = response.statusCode ?? 0
        collect(response, (answer) => resume(Effect.succeed(answer)), fail)
      })
      sending.end(request.body)
      return Effect.sync(() => sending.destroy())
    }).pipe(
      Effect.timeoutOrElse({
        duration: leftMs,
        orElse: () => Effect.fail(unknown("deadline", `no whole answer in ${request.deadlineMs} ms`))
      })
    )
  }
)
