import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { Readable } from "node:stream"

/** The body is longer than the limit. What follows is left unread, so the connection cannot be used again. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** The body ended before the length its sender promised, or the connection broke. */
export class BodyCut extends Schema.TaggedError<BodyCut>()("BodyCut", {}) {}

/** One buffer, of the declared length or doubling: a body of a million one-byte chunks costs its bytes, not a million objects. */
class Gathering {
  private readonly declared: number
  private readonly limit: number
  private held: Uint8Array | undefined
  private length = 0
  private owned = false

  constructor(declared: number, limit: number) {
    this.declared = declared
    this.limit = limit
  }

  /** Adds a chunk; `false` when it does not fit. The first chunk is kept as it is, for most bodies are one chunk. */
  add(chunk: Uint8Array): boolean {
    const length = this.length + chunk.length
    if (length > this.limit) return false
    if (this.held === undefined) {
      this.held = chunk
    } else {
      const into = this.roomFor(this.held, length)
      into.set(chunk, this.length)
      this.held = into
    }
    this.length = length
    return true
  }

  bytes(): Uint8Array {
    return this.held === undefined ? new Uint8Array(0) : this.held.subarray(0, this.length)
  }

  private roomFor(held: Uint8Array, length: number): Uint8Array {
    if (this.owned && held.length >= length) return held
    const larger = Buffer.allocUnsafeSlow(Math.min(this.limit, Math.max(length, this.declared, this.length * 2)))
    larger.set(held.subarray(0, this.length))
    this.owned = true
    return larger
  }
}

/** Asks for the body when the sender waits for that (`Expect: 100-continue`); the platform would do so only in its own readers. */
const askForBody = (request: HttpServerRequest.HttpServerRequest): void => {
  if (request.headers["expect"]?.toLowerCase() !== "100-continue") return
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (!response.headersSent) response.writeContinue()
}

/** Takes no more from the sender. Pausing the message alone would go on filling its buffer, at whatever speed the sender has. */
const stopReading = (request: HttpServerRequest.HttpServerRequest): void => {
  const message = NodeHttpServerRequest.toIncomingMessage(request)
  message.pause()
  // HTTP/2 shares its socket among requests, and holds each back by itself.
  if (message.httpVersionMajor === 1) message.socket.pause()
}

const readStream = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Uint8Array, BodyTooLarge | BodyCut> =>
  Effect.callback((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    const declared = Number(request.headers["content-length"] ?? 0)
    if (declared > limit) {
      stopReading(request)
      return resume(Effect.fail(new BodyTooLarge()))
    }
    askForBody(request)
    if (source.readableEnded || source.destroyed) return resume(Effect.fail(new BodyCut()))
    const gathering = new Gathering(declared, limit)
    const onData = (chunk: Uint8Array) => {
      if (gathering.add(chunk)) return
      stop()
      stopReading(request)
      resume(Effect.fail(new BodyTooLarge()))
    }
    const onEnd = () => {
      stop()
      resume(Effect.succeed(gathering.bytes()))
    }
    const onCut = () => {
      stop()
      resume(Effect.fail(new BodyCut()))
    }
    const stop = () => {
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut)
    }
    source.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut)
    return Effect.sync(stop)
  })

/** A request that did not come through a socket: its body is in memory already, or the runtime reads it. */
const readInMemory = (request: HttpServerRequest.HttpServerRequest, limit: number) =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(limit)),
    Effect.mapError(({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? new BodyTooLarge() : new BodyCut()
    ),
    Effect.filterOrFail((buffer) => buffer.byteLength <= limit, () => new BodyTooLarge()),
    Effect.map((buffer) => new Uint8Array(buffer))
  )

/**
 * Reads a request's body once, at most `limit` bytes of it: a body that declares more is not read at all, and the first byte over the limit
 * ends the reading.
 */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Uint8Array, BodyTooLarge | BodyCut> =>
  request.source instanceof Readable ? readStream(request, limit) : readInMemory(request, limit)
