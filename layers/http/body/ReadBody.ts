import { BodyRoom, type Claim, type Room } from "#layers/http/body/BodyRoom.ts"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Clock, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { Readable } from "node:stream"

/** The body is longer than the limit. The rest is left unread, so the connection cannot be used again. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** The body ended before the length its sender promised, or the connection broke. */
export class BodyCut extends Schema.TaggedError<BodyCut>()("BodyCut", {}) {}

/** There is no room for the body beside the others that are in memory; the rest is left unread. */
export class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", {}) {}

/**
 * Bytes that every body may have without claiming room. Most bodies are no longer, and are never refused because of
 * larger ones.
 */
export const free = 64 * 1024

/**
 * Gathers a body in one buffer, which doubles up to the declared length: a body of a million one-byte chunks costs its
 * bytes, not a million objects.
 */
class Gathering {
  private readonly most: number
  private readonly limit: number
  private readonly hold: (bytes: number) => boolean
  private held: Uint8Array | undefined
  private length = 0
  private owned = false

  /** `hold` is asked before the buffer grows beyond `free`. */
  constructor(declared: number, limit: number, hold: (bytes: number) => boolean) {
    this.most = declared || limit
    this.limit = limit
    this.hold = hold
  }

  /**
   * Adds a chunk, or answers why it does not fit. The first chunk is kept without copying, since most bodies are one
   * chunk.
   */
  add(chunk: Uint8Array): BodyTooLarge | NoRoom | undefined {
    const length = this.length + chunk.length
    if (length > this.limit) return new BodyTooLarge()
    if (this.held === undefined) {
      this.held = chunk
    } else {
      const into = this.roomFor(this.held, length)
      if (into === undefined) return new NoRoom()
      into.set(chunk, this.length)
      this.held = into
    }
    this.length = length
    return undefined
  }

  bytes(): Uint8Array {
    return this.held === undefined ? new Uint8Array(0) : this.held.subarray(0, this.length)
  }

  private roomFor(held: Uint8Array, length: number): Uint8Array | undefined {
    if (this.owned && held.length >= length) return held
    const size = Math.max(length, Math.min(this.most, Math.max(free, length * 2)))
    if (size > free && !this.hold(size)) return undefined
    const larger = Buffer.allocUnsafeSlow(size)
    larger.set(held.subarray(0, this.length))
    this.owned = true
    return larger
  }
}

/**
 * Tells a sender that waits for it (`Expect: 100-continue`) to send the body; the platform would do so only in its own
 * readers.
 */
const askForBody = (request: HttpServerRequest.HttpServerRequest): void => {
  if (request.headers["expect"]?.toLowerCase() !== "100-continue") return
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (!response.headersSent) response.writeContinue()
}

/**
 * Stops reading from the sender. Pausing the message alone is not enough: its buffer would go on filling as fast as the
 * sender sends.
 */
const stopReading = (request: HttpServerRequest.HttpServerRequest): void => {
  const message = NodeHttpServerRequest.toIncomingMessage(request)
  message.pause()
  // In HTTP/2, requests share a socket, and each has flow control of its own.
  if (message.httpVersionMajor === 1) message.socket.pause()
}

/** Claims room when it is first asked for, and gives it back when the request is over, however it ends. */
const claiming = (
  request: HttpServerRequest.HttpServerRequest,
  room: Room,
  clock: Clock.Clock,
  giveWay: () => void
) => {
  let claim: Claim | undefined
  const open = (): Claim => {
    const opened = room(clock, giveWay)
    NodeHttpServerRequest.toServerResponse(request).once("close", opened.release)
    return opened
  }
  return {
    hold: (bytes: number) => (claim ??= open()).hold(bytes),
    complete: () => claim?.complete(),
    release: () => claim?.release()
  }
}

const readBefore = new WeakMap<object, Uint8Array>()

/** Gives `readBody` the whole body of a request (its `source`) that somebody has read already. */
export const wasRead = (source: object, bytes: Uint8Array): void => void readBefore.set(source, bytes)

const readStream = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  room: Room,
  clock: Clock.Clock
): Effect.Effect<Uint8Array, BodyTooLarge | BodyCut | NoRoom> =>
  Effect.callback((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    const declared = Number(request.headers["content-length"] ?? 0)
    if (declared > limit) {
      stopReading(request)
      return resume(Effect.fail(new BodyTooLarge()))
    }
    askForBody(request)
    if (source.readableEnded || source.destroyed) return resume(Effect.fail(new BodyCut()))
    const refuse = (why: BodyTooLarge | NoRoom) => {
      stop()
      stopReading(request)
      claim.release()
      resume(Effect.fail(why))
    }
    const claim = claiming(request, room, clock, () => refuse(new NoRoom()))
    const gathering = new Gathering(declared, limit, claim.hold)
    const onData = (chunk: Uint8Array) => {
      const why = gathering.add(chunk)
      if (why !== undefined) refuse(why)
    }
    const onEnd = () => {
      stop()
      claim.complete()
      resume(Effect.succeed(gathering.bytes()))
    }
    const onCut = () => {
      stop()
      claim.release()
      resume(Effect.fail(new BodyCut()))
    }
    const stop = () => {
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut)
    }
    source.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut)
    return Effect.sync(() => {
      stop()
      claim.release()
    })
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
 * Reads a request's body once, at most `limit` bytes of it: a body that declares more is not read at all, and the first
 * byte over the limit ends the reading. A body of more than 64 KB has to find room beside the others, which it holds
 * until its request is answered.
 */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Uint8Array, BodyTooLarge | BodyCut | NoRoom> => {
  const before = readBefore.get(request.source)
  if (before !== undefined) return Effect.succeed(before)
  return request.source instanceof Readable
    ? Effect.withFiber((fiber) => readStream(request, limit, fiber.getRef(BodyRoom), fiber.getRef(Clock.Clock)))
    : readInMemory(request, limit)
}
