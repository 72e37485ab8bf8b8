import * as Callers from "#layers/testing/Caller.ts"
import type { Cancellation, Request, Resend } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import type { Environment } from "#layers/testing/Stored.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import { SendMessage } from "#schemas/SendMessage.ts"
import { SendRefused } from "#src/delivery/intake/Drafts.ts"
import { Effect, Exit, Option, Result, Schema } from "effect"

/** The calls that a story makes as its users, and their own records of them. */
export interface Client {
  readonly requests: ReadonlyArray<Request>
  readonly resends: ReadonlyArray<Resend>
  readonly cancellations: ReadonlyArray<Cancellation>
  readonly send: (message: typeof SendMessage.Encoded, options?: Callers.SendOptions) => Effect.Effect<Request>
  readonly resend: (messageId: string, options?: Callers.SendOptions) => Effect.Effect<Resend>
  readonly cancel: (messageId: string, environment?: Environment) => Effect.Effect<boolean | undefined>
}

const requestIdOf = Callers.fieldOf("requestId")
const resentIdOf = Callers.fieldOf("messageId")
const decode = Schema.decodeUnknownResult(SendMessage, { errors: "all" })

/** Sends, resends and cancels, as `layers/http/routes/Send.ts` and `Messages.ts` take them. */
export const make = (options: {
  readonly loop: Loop
  readonly caller: Callers.Caller
  readonly remote: Remote
}): Client => {
  const { caller: ask, loop, remote } = options
  const requests: Array<Request> = []
  const resends: Array<Resend> = []
  const cancellations: Array<Cancellation> = []

  const send = Effect.fnUntraced(function*(message: typeof SendMessage.Encoded, options: Callers.SendOptions = {}) {
    const { environment = 1, key } = yield* Callers.said(options)
    const decoded = decode(message)
    const request: Request = {
      number: requests.length,
      scope: yield* Callers.scopeOf(environment),
      key,
      message,
      tries: [],
      requestId: undefined
    }
    requests.push(request)
    const principal = { scope: request.scope, keyState: "published" } as const
    request.requestId = requestIdOf(
      yield* ask(request, (node) =>
        Callers.committed(
          node,
          Result.isFailure(decoded)
            ? Effect.fail(new SendRefused({ detail: sentence(decoded.failure.issue, "message") }))
            : node.intake.send(principal, decoded.success, (requestId) => Callers.reply(202, { requestId })),
          Callers.keyOf(request, "/send", loop.wall())
        ))
    )
    return request
  })

  const resend = Effect.fnUntraced(function*(messageId: string, options: Callers.SendOptions = {}) {
    const { environment = 1, key } = yield* Callers.said(options)
    const scope = yield* Callers.scopeOf(environment)
    const id = yield* Callers.idOf(messageId)
    const again: Resend = { scope, key, messageId, tries: [], resentId: undefined }
    resends.push(again)
    if (Option.isNone(id)) return again
    const principal = { scope, keyState: "published" } as const
    again.resentId = resentIdOf(
      yield* ask(again, (node) =>
        Callers.committed(
          node,
          node.intake.resend(principal, id.value, (messageId) => Callers.reply(200, { messageId })),
          Callers.keyOf(again, `/messages/${messageId}/resend`, loop.wall())
        ))
    )
    return again
  })

  const cancel = Effect.fnUntraced(function*(messageId: string, environment: Environment = 1) {
    const scope = yield* Callers.scopeOf(environment)
    const id = yield* Callers.idOf(messageId)
    const cancellation: Cancellation = { scope, messageId, at: loop.now(), confirmedAt: undefined }
    cancellations.push(cancellation)
    if (Option.isNone(id)) return undefined
    const answer = yield* remote((node) => node.cancel(scope, id.value))
    if (answer._tag !== "Answer" || Exit.isFailure(answer.exit)) return undefined
    if (answer.exit.value.canceled) cancellation.confirmedAt = loop.now()
    return answer.exit.value.canceled
  })

  return { requests, resends, cancellations, send, resend, cancel }
}
