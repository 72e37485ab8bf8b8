import type { Chance } from "#layers/testing/Chance.ts"
import type { Cancellation, Request, Try } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import type { Node } from "#layers/testing/Node.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { SendMessage } from "#schemas/SendMessage.ts"
import { CurrentKey, type StoredResponse } from "#src/access/Idempotency.ts"
import { Effect, Exit, Option, Schema } from "effect"

/** How a call is sent. */
export interface SendOptions {
  /** The `Idempotency-Key`; with one the caller tries again until it is answered. */
  readonly key?: string
  /** 1 production, 2 test. */
  readonly environment?: number
}

/** What a story does as its users, and their records of it. */
export interface Client {
  readonly requests: ReadonlyArray<Request>
  readonly cancellations: ReadonlyArray<Cancellation>
  readonly send: (message: typeof SendMessage.Encoded, options?: SendOptions) => Effect.Effect<Request>
  readonly cancel: (messageId: string, environment?: number) => Effect.Effect<boolean | undefined>
}

const mostTries = 40
const hour = 3_600_000

const reply = (status: number, body: Schema.Json): StoredResponse => ({
  status,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" }
})

const decodeReply = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ requestId: Schema.String })))
const decode = Schema.decodeUnknownEffect(SendMessage)
const decodeId = Schema.decodeUnknownOption(MessageId)

/** POST /send as the edge does it (`layers/http/Send.ts`), without HTTP. */
const handle = (node: Node, { key, message, scope }: Request, wall: number): Effect.Effect<StoredResponse> =>
  node.intake.send({ scope, keyState: "published" }, message, (requestId) => reply(202, { requestId })).pipe(
    Effect.map(({ response }) => response),
    Effect.catchTags({
      SendRefused: ({ detail }) => Effect.succeed(reply(400, { message: detail, type: "invalid_request_error" })),
      RowRefused: () =>
        Effect.succeed(reply(400, { message: "The request cannot be stored", type: "invalid_request_error" })),
      StoreUnavailable: () => Effect.succeed(reply(503, { message: "Try again", type: "internal_error" }))
    }),
    Effect.provideService(
      CurrentKey,
      key === undefined ? undefined : { scope, path: "/send", value: key, expiresAt: wall + 25 * hour, bodyHash: "" }
    )
  )

/** The callers of a world: they never die, call whichever node they are given, and write down what they see. */
export const make = (options: { readonly loop: Loop; readonly chance: Chance; readonly remote: Remote }): Client => {
  const { chance, loop, remote } = options
  const requests: Array<Request> = []
  const cancellations: Array<Cancellation> = []

  /** One try; whether it is over. */
  const attempt = Effect.fnUntraced(function*(request: Request) {
    let seen: Try | undefined
    const answer = yield* remote(
      (node) => handle(node, request, loop.wall()),
      (node) => {
        seen = { node, at: loop.now(), answeredAt: undefined, status: undefined, body: undefined }
        request.tries.push(seen)
      }
    )
    if (answer._tag === "NobodyThere") return false
    if (seen !== undefined && answer._tag === "Answer" && Exit.isSuccess(answer.exit)) {
      const { body, status } = answer.exit.value
      Object.assign(seen, { answeredAt: loop.now(), status, body })
      if (status === 202) request.requestId = Option.getOrUndefined(decodeReply(body))?.requestId
      if (status !== 503) return true
    }
    // Nobody knows whether it was done; without a key, doing it again may do it twice.
    return request.key === undefined
  })

  const send = Effect.fnUntraced(function*(
    message: typeof SendMessage.Encoded,
    { environment = 1, key }: SendOptions = {}
  ) {
    const request: Request = {
      number: requests.length,
      scope: Scope.make(environment),
      key,
      message: yield* Effect.orDie(decode(message)),
      tries: [],
      requestId: undefined
    }
    requests.push(request)
    for (let n = 0; n < mostTries && !(yield* attempt(request)); n++) yield* Effect.sleep(chance.int(50, 3_000))
    return request
  })

  const cancel = Effect.fnUntraced(function*(messageId: string, environment = 1) {
    const scope = Scope.make(environment)
    const cancellation: Cancellation = { scope, messageId, at: loop.now(), confirmedAt: undefined }
    cancellations.push(cancellation)
    const id = decodeId(messageId)
    if (Option.isNone(id)) return undefined
    const answer = yield* remote((node) => node.cancel(scope, id.value))
    if (answer._tag !== "Answer" || Exit.isFailure(answer.exit)) return undefined
    if (answer.exit.value.canceled) cancellation.confirmedAt = loop.now()
    return answer.exit.value.canceled
  })

  return { requests, cancellations, send, cancel }
}
