import { BodyRoom, type Claim, type Room } from "#layers/http/body/BodyRoom.ts"
import { BodyTooLarge, Gathering, NoRoom } from "#layers/http/body/Gathering.ts"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Clock, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { Readable } from "node:stream"

/** The body ended before the length its sender promised, or the connection broke. */
export class BodyCut extends Schema.TaggedError<BodyCut>()("BodyCut", {}) {}

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
 * Stops reading from the sender, for good: the connection is closed after the answer. Pausing the message alone is not
 * enough: it resumes its socket to fill its own buffer.
 */
const stopReading = (request: HttpServerRequest.HttpServerRequest): void => {
  const message = NodeHttpServerRequest.toIncomingMessage(request)
  message.pause()
  // In HTTP/2, requests share a socket, and each has flow control of its own.
  if (message.httpVersionMajor !== 1) return
  const { socket } = message
  socket.pause()
  socket.on("resume", () => socket.pause())
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
