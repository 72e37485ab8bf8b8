import { excess } from "#layers/http/body/BodyGuard.ts"
import { free } from "#layers/http/body/Gathering.ts"
import * as Cors from "#layers/http/Cors.ts"
import { AccountEmail, unauthorized } from "#layers/http/Access.ts"
import { KnownCallers, recognizing } from "#layers/http/KnownCallers.ts"
import { hashOf } from "#layers/http/Once.ts"
import * as Head from "#layers/http/plain/Head.ts"
import * as Refusals from "#layers/http/plain/Refusals.ts"
import * as Recognizer from "#layers/http/plain/Recognizer.ts"
import { route, type Send, type Take } from "#layers/http/plain/Send.ts"
import { crashed, unstored } from "#layers/http/Replies.ts"
import { json, toStored } from "#layers/http/StoredReply.ts"
import { SendRequest } from "#schemas/api/Send.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import { Admission } from "#src/access/Admission.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import * as AuthorizationHeader from "#src/access/AuthorizationHeader.ts"
import { type Answer, CurrentKey } from "#src/access/Idempotency.ts"
import * as IdempotencyHeaders from "#src/access/IdempotencyHeaders.ts"
import { isToken } from "#src/access/UserTokens.ts"
import { Intake } from "#src/delivery/Intake.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import { Cause, Clock, Context, Effect, Exit, Layer, References, Result, type Schema } from "effect"
import { isUtf8 } from "node:buffer"

/**
 * The short way of `POST /send`. Most sends are plain, and are answered here as their connection brings them, without the
 * router, the middlewares and the decoding of the whole way, which cost more than all the rest of an acceptance. Plain
 * is a send of at most 64 kB, with an API key, without a header that is not known here, and of JSON that its schema
 * would leave as it is. Whatever is not plain goes the whole way, and so does every send that is refused for what it
 * says: this way knows a 202 or what is kept under the send's key, a 401, a 500, and a 503 if the node or its store
 * cannot take more. If the node cannot, it goes to any caller, unread (`Door`), but to no page, which could not read it
 * without the headers of CORS.
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

/** Why a send was not accepted: the tag of its failure, or that it was a defect. */
const reasonOf = (cause: Cause.Cause<{ readonly _tag: string }>): string =>
  Result.getOrUndefined(Cause.findError(cause))?._tag ?? "Defect"

/**
 * The answer to a send that was not accepted; `undefined` if the whole way gives it. A defect may have come after the
 * commit, so that only a send with a key can be tried again.
 */
const refused = (isKeyed: boolean) => (cause: Cause.Cause<{ readonly _tag: string }>) => {
  const answered = (reply: typeof unstored): Effect.Effect<Answer | undefined> =>
    Effect.map(Effect.flatMap(reply, toStored), (response) => ({ response, replayed: false }))
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  switch (reasonOf(cause)) {
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
    const { ask, isFull } = yield* Admission
    const callers = yield* KnownCallers
    const recognize = yield* recognizing
    const email = yield* AccountEmail
    const intake = yield* Intake
    const runIn = yield* Fibers.runner
    const refusals = yield* Refusals.make
    const isOfPage = yield* Cors.isOfPage
    const unknown: Answer = { response: yield* toStored(unauthorized), replayed: false }

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

    /** Asks who has the API key of a header; `undefined` if it has none. */
    const stranger = (header: string) => {
      const key = AuthorizationHeader.parse(header, email)
      return key === undefined || isToken(key) ? undefined : recognize(header, key)
    }

    /**
     * Reads the body, which costs more than all that was before. `undefined`: the whole way answers, after a turn of the
     * event loop: of many that end at once, each would let the next one in, and nothing else would run meanwhile.
     */
    const answer = ({ expiration, key: value }: Head.Head, body: Uint8Array, caller: Principal) =>
      Effect.suspend(() => {
        const message = messageOf(body)
        if (message === undefined) return Effect.as(Effect.yieldNow, undefined)
        return value === undefined ? accept(caller, message) : keyed({ value, expiration }, body, caller, message)
      }).pipe(Effect.catchCause(refused(value !== undefined)))

    return PlainSends.of({
      taking: (context) => {
        const run = runIn(context)
        const runNow = Effect.runSyncWith(context)
        const refusal = refusals(context)
        const unavailable = (send: Send, last?: "last"): void =>
          send.answer({ response: runNow(Effect.flatMap(unstored, toStored)), replayed: false }, last)
        /** Answers a send that the server's end has interrupted: nothing is known of it. */
        const interrupted = (send: Send): void => unavailable(send, "last")
        const giveBack = (send: Send): void => {
          if (!send.others()) interrupted(send)
        }
        const enqueue = (send: Send, head: Head.Head, body: Uint8Array, caller: Principal): void =>
          ask(body.length, {
            refuse: () => send.answer({ response: refusal(), replayed: false }),
            enter: (leave) => {
              // Its turn may come when its sender has left.
              if (send.isGone()) return leave("unused")
              run(answer(head, body, caller)).addObserver((exit) => {
                if (Exit.isFailure(exit)) interrupted(send)
                else if (exit.value === undefined) giveBack(send)
                else send.answer(exit.value)
                leave(Exit.isSuccess(exit) && exit.value === undefined ? "unused" : undefined)
              })
            }
          })
        // Traced requests have spans of the whole way.
        const isTraced = Context.get(context, References.TracerEnabled)
        return (send) => {
          if (isTraced) return false
          if (isFull()) {
            if (isOfPage(send)) return false
            send.answer({ response: refusal(), replayed: false })
            return true
          }
          const head = Head.of(send.rawHeaders, free)
          if (head === undefined) return false
          const caller = callers.find(head.authorization) ?? stranger(head.authorization)
          if (caller === undefined) return false
          send.read(head.length, (body) => {
            if (send.isGone()) return
            if (!Effect.isEffect(caller)) return enqueue(send, head, body, caller)
            run(caller).addObserver((exit) => {
              if (Exit.isSuccess(exit)) return enqueue(send, head, body, exit.value)
              if (Cause.hasInterruptsOnly(exit.cause)) return interrupted(send)
              // The whole way would ask once more.
              switch (reasonOf(exit.cause)) {
                case "InvalidKey":
                  return send.answer(unknown)
                case "StoreUnavailable":
                  return unavailable(send)
                default:
                  return giveBack(send)
              }
            })
          })
          return true
        }
      }
    })
  })
)
