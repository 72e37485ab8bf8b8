import { excess } from "#layers/http/body/BodyGuard.ts"
import { free, Gathering } from "#layers/http/body/Gathering.ts"
import { wasRead } from "#layers/http/body/ReadBody.ts"
import * as Cors from "#layers/http/Cors.ts"
import { KnownCallers } from "#layers/http/KnownCallers.ts"
import { hashOf } from "#layers/http/Once.ts"
import * as Head from "#layers/http/plain/Head.ts"
import * as Refusals from "#layers/http/plain/Refusals.ts"
import * as Recognizer from "#layers/http/plain/Recognizer.ts"
import { crashed, overloaded, unstored } from "#layers/http/Replies.ts"
import { headersOf, json, toStored } from "#layers/http/StoredReply.ts"
import { SendRequest } from "#schemas/api/Send.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import { Admission } from "#src/access/Admission.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import { type Answer, CurrentKey } from "#src/access/Idempotency.ts"
import * as IdempotencyHeaders from "#src/access/IdempotencyHeaders.ts"
import { Intake } from "#src/delivery/Intake.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import { Cause, Clock, Context, Effect, Exit, Layer, References, Result, type Schema } from "effect"
import { isUtf8 } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * Takes a request in order to answer it, and says by which route; `undefined` leaves it to `others`. One that was taken
 * may be given to `others` later, who answer false if nobody is there any more.
 */
export type Take = (request: IncomingMessage, response: ServerResponse, others: () => boolean) => string | undefined

/**
 * The short way of `POST /send`. Most sends are plain, and are answered here from Node's own request, without the
 * router, the middlewares and the decoding of the whole way, which cost more than all the rest of an acceptance. Plain
 * is a send of at most 64 kB, by a caller who was let in a moment ago, without a header that is not known here, and of
 * JSON that its schema would leave as it is. Whatever is not plain goes the whole way, and so does every send that is
 * refused for what it says: this way knows a 202 alone, and a 503 if the node or its store cannot take more. The first
 * of these goes to any caller, unread (`Door`), but to no page, which could not read it without the headers of CORS.
 */
export class PlainSends extends Context.Service<PlainSends, {
  /** `context` is copied into every send's: it should hold no more than a server needs. */
  readonly taking: (context: Context.Context<never>) => Take
}>()("tidings/http/PlainSends") {}

const isPlain = Recognizer.of(SendRequest)

const parsed = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const messageOf = (body: Uint8Array): SendMessage | undefined => {
  if (!isUtf8(body)) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8")
  const value = excess(text) === undefined ? parsed(text) : undefined
  return value !== undefined && isPlain(value) ? value.message : undefined
}

/** Calls `done` with the whole body of `length` bytes. A sender who breaks off is owed no answer. */
const gather = (request: IncomingMessage, length: number, done: (body: Uint8Array) => void): void => {
  const gathering = new Gathering(length, length, () => true)
  request.on("data", (chunk: Buffer) => void gathering.add(chunk)).on("end", () => done(gathering.bytes()))
    .on("error", () => undefined)
}

const write = (response: ServerResponse, answer: Answer): void => {
  const { body, status } = answer.response
  response.writeHead(status, { ...headersOf(answer), "content-length": Buffer.byteLength(body) }).end(body)
}

/** Whether nobody waits for an answer: the sender has broken off, or was cut off. */
const isGone = ({ socket }: IncomingMessage): boolean => socket.destroyed

const route = "/send"

const isSend = ({ httpVersion, method, url }: IncomingMessage): boolean =>
  method === "POST" && url === route && httpVersion === "1.1"

/** Why a send was not accepted: the tag of its failure, or that it was a defect. */
const reasonOf = (cause: Cause.Cause<{ readonly _tag: string }>): string =>
  Result.getOrUndefined(Cause.findError(cause))?._tag ?? "Defect"

/**
 * The answer to a send that was not accepted; `undefined` if the whole way gives it. A defect may have come after the
 * commit, so that only a send with a key can be tried again.
 */
const refused = (isKeyed: boolean) => (cause: Cause.Cause<{ readonly _tag: string }>) => {
  const answered = (reply: typeof overloaded): Effect.Effect<Answer | undefined> =>
    Effect.map(Effect.flatMap(reply, toStored), (response) => ({ response, replayed: false }))
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  switch (reasonOf(cause)) {
    case "Overloaded":
      return answered(overloaded)
    case "StoreUnavailable":
      return answered(unstored)
    case "Defect":
      return isKeyed ? Effect.undefined : answered(crashed(cause, `POST ${route}`))
    default:
      return Effect.undefined
  }
}

export const layer = Layer.effect(
  PlainSends,
  Effect.gen(function*() {
    const { admit, isFull } = yield* Admission
    const callers = yield* KnownCallers
    const intake = yield* Intake
    const runIn = yield* Fibers.runner
    const refusals = yield* Refusals.make
    const isOfPage = yield* Cors.isOfPage

    const accept = (caller: Principal, message: SendMessage) =>
      intake.send(caller, message, (requestId) => json(202, { requestId }))

    const keyed = Effect.fnUntraced(function*(
      { expiration, value }: { readonly value: string; readonly expiration: string | undefined },
      body: Uint8Array,
      caller: Principal,
      message: SendMessage
    ) {
      const header = yield* IdempotencyHeaders.parse(value, expiration, yield* Clock.currentTimeMillis)
      const key = { ...header, scope: caller.scope, path: route, bodyHash: hashOf(body) }
      return yield* Effect.provideService(accept(caller, message), CurrentKey, key)
    })

    const answer = (
      request: IncomingMessage,
      { expiration, key: value }: Head.Head,
      body: Uint8Array,
      caller: Principal,
      message: SendMessage
    ) => {
      const accepted = value === undefined
        ? accept(caller, message)
        : keyed({ value, expiration }, body, caller, message)
      // Its turn may be a while in coming, and may come when the sender has left.
      const turn = Effect.suspend(() => isGone(request) ? Effect.interrupt : accepted)
      return Effect.catchCause(admit(body.length, turn), refused(value !== undefined))
    }

    return PlainSends.of({
      taking: (context) => {
        const run = runIn(context)
        const runNow = Effect.runSyncWith(context)
        const refusal = refusals(context)
        /** Answers a send that the server's end has interrupted: nothing is known of it. */
        const interrupted = (response: ServerResponse): void => {
          response.setHeader("connection", "close")
          write(response, { response: runNow(Effect.flatMap(unstored, toStored)), replayed: false })
        }
        // Traced requests have spans of the whole way.
        const isTraced = Context.get(context, References.TracerEnabled)
        return (request, response, others) => {
          if (isTraced || !isSend(request)) return undefined
          if (isFull()) {
            if (isOfPage(request)) return undefined
            write(response, { response: refusal(), replayed: false })
            return route
          }
          const head = Head.of(request.rawHeaders, free)
          const caller = callers.find(head?.authorization)
          if (head === undefined || caller === undefined) return undefined
          gather(request, head.length, (body) => {
            if (isGone(request)) return
            const rest = () => {
              wasRead(request, body)
              if (!others()) interrupted(response)
            }
            const message = messageOf(body)
            if (message === undefined) return rest()
            run(answer(request, head, body, caller, message)).addObserver((exit) => {
              if (Exit.isFailure(exit)) return interrupted(response)
              if (exit.value === undefined) return rest()
              write(response, exit.value)
            })
          })
          return route
        }
      }
    })
  })
)
