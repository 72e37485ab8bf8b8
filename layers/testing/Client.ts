import type { Chance } from "#layers/testing/Chance.ts"
import type { Cancellation, Request, Resend, Try } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import { typeOf } from "#layers/testing/Mistakes.ts"
import type { Node } from "#layers/testing/Node.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import { unknown } from "#layers/testing/Unknown.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import { SendMessage } from "#schemas/SendMessage.ts"
import { CurrentKey, type StoredResponse } from "#src/access/Idempotency.ts"
import { SendRefused } from "#src/delivery/intake/Drafts.ts"
import type { Accepted, MessageNotFound, RowRefused } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Effect, Exit, Option, Predicate, Result, Schema } from "effect"

/** How a call is sent. */
export interface SendOptions {
  /**
   * The `Idempotency-Key`. With one, the caller repeats the call until it is answered. Without one, it repeats only
   * calls that reached no node.
   */
  readonly key?: string
  /** 1 production, 2 test. */
  readonly environment?: number
}

/** The calls that a story makes as its users, and their own records of them. */
export interface Client {
  readonly requests: ReadonlyArray<Request>
  readonly resends: ReadonlyArray<Resend>
  readonly cancellations: ReadonlyArray<Cancellation>
  readonly send: (message: typeof SendMessage.Encoded, options?: SendOptions) => Effect.Effect<Request>
  readonly resend: (messageId: string, options?: SendOptions) => Effect.Effect<Resend>
  readonly cancel: (messageId: string, environment?: number) => Effect.Effect<boolean | undefined>
}

const mostTries = 40
const hour = 3_600_000

const reply = (status: number, body: Schema.Json): StoredResponse => ({
  status,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" }
})

const replyOf = <K extends "requestId" | "messageId">(key: K) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))
  return (body: string | undefined) => Option.getOrUndefined(decode(body))?.[key]
}
const requestIdOf = replyOf("requestId")
const resentIdOf = replyOf("messageId")
const decode = Schema.decodeUnknownResult(SendMessage, { errors: "all" })
const decodeId = Schema.decodeUnknownOption(MessageId)

/** A world has two environments; any other number is a mistake in the story, and a defect. */
export const scopeOf = (environment: number): Effect.Effect<Scope> =>
  environment === 1 || environment === 2
    ? Effect.succeed(Scope.make(environment))
    : Effect.die(`The environment is ${environment}, and has to be 1 (production) or 2 (test)`)

/** A message's id; none if it cannot be one, and a defect if it is no text, such as that of a send not accepted. */
export const idOf = (messageId: string): Effect.Effect<Option.Option<MessageId>> =>
  Predicate.isString(messageId)
    ? Effect.succeed(decodeId(messageId))
    : Effect.die(
      `A message's id has to be a string, and is of type ${typeOf(messageId)}: what is not accepted has none`
    )

const names: Readonly<Record<keyof SendOptions, true>> = { key: true, environment: true }

/** The options; a defect if the story says more, such as a key by another name, which would be none. */
const said = (options: SendOptions): Effect.Effect<SendOptions> => {
  const [fault] = unknown("The second argument of a send", options, names)
  return fault === undefined ? Effect.succeed(options) : Effect.die(fault)
}

/** The record of a call: what was asked, and every try. */
type Asked = Pick<Request, "key" | "scope" | "tries">

const invalid = (message: string) => reply(400, { message, type: "invalid_request_error" })

/**
 * Calls the intake and answers as the HTTP edge would (`layers/http/routes/Send.ts`, `layers/http/Once.ts`), without
 * HTTP: a refusal is kept under the key too.
 */
const handle = (
  { intake }: Node,
  run: (
    intake: Node["intake"]
  ) => Effect.Effect<Accepted, SendRefused | MessageNotFound | RowRefused | StoreUnavailable>,
  { key, scope }: Asked,
  path: string,
  wall: number
): Effect.Effect<StoredResponse> =>
  run(intake).pipe(
    Effect.catchTags({
      SendRefused: ({ detail }) => intake.keep(invalid(detail)),
      MessageNotFound: () => intake.keep(reply(404, { message: "No such message", type: "not_found" }))
    }),
    Effect.map(({ response }) => response),
    Effect.catchTags({
      RowRefused: () => Effect.succeed(invalid("The request cannot be stored")),
      StoreUnavailable: () => Effect.succeed(reply(503, { message: "Try again", type: "internal_error" }))
    }),
    Effect.provideService(
      CurrentKey,
      key === undefined ? undefined : { scope, path, value: key, expiresAt: wall + 25 * hour, bodyHash: "" }
    )
  )

/** The callers of a world: they never crash, each call goes to any node, and they record what they see. */
export const make = (options: { readonly loop: Loop; readonly chance: Chance; readonly remote: Remote }): Client => {
  const { chance, loop, remote } = options
  const requests: Array<Request> = []
  const resends: Array<Resend> = []
  const cancellations: Array<Cancellation> = []

  /** One try. Answers whether the caller is done, with an answer or because another try would not be safe. */
  const attempt = Effect.fnUntraced(function*(asked: Asked, call: (node: Node) => Effect.Effect<StoredResponse>) {
    let seen: Try | undefined
    const answer = yield* remote(call, (node) => {
      seen = { node, at: loop.now(), answeredAt: undefined, status: undefined, body: undefined }
      asked.tries.push(seen)
    })
    if (answer._tag === "NobodyThere") return false
    if (seen !== undefined && answer._tag === "Answer" && Exit.isSuccess(answer.exit)) {
      const { body, status } = answer.exit.value
      Object.assign(seen, { answeredAt: loop.now(), status, body })
      if (status !== 503) return true
    }
    // Nobody knows whether the call took effect; without a key, repeating it may do it twice.
    return asked.key === undefined
  })

  /** Tries until the caller is done. The body of the answer that says it was accepted, if one came. */
  const ask = Effect.fnUntraced(function*(asked: Asked, call: (node: Node) => Effect.Effect<StoredResponse>) {
    for (let n = 0; n < mostTries && !(yield* attempt(asked, call)); n++) yield* Effect.sleep(chance.int(50, 3_000))
    return asked.tries.findLast(({ status }) => status === 200 || status === 202)?.body
  })

  const send = Effect.fnUntraced(function*(message: typeof SendMessage.Encoded, options: SendOptions = {}) {
    const { environment = 1, key } = yield* said(options)
    const decoded = decode(message)
    const request: Request = {
      number: requests.length,
      scope: yield* scopeOf(environment),
      key,
      message,
      tries: [],
      requestId: undefined
    }
    requests.push(request)
    const principal = { scope: request.scope, keyState: "published" } as const
    request.requestId = requestIdOf(
      yield* ask(request, (node) =>
        handle(
          node,
          (intake) =>
            Result.isFailure(decoded)
              ? new SendRefused({ detail: sentence(decoded.failure.issue, "message") })
              : intake.send(principal, decoded.success, (requestId) => reply(202, { requestId })),
          request,
          "/send",
          loop.wall()
        ))
    )
    return request
  })

  const resend = Effect.fnUntraced(function*(messageId: string, options: SendOptions = {}) {
    const { environment = 1, key } = yield* said(options)
    const scope = yield* scopeOf(environment)
    const id = yield* idOf(messageId)
    const again: Resend = { scope, key, messageId, tries: [], resentId: undefined }
    resends.push(again)
    if (Option.isNone(id)) return again
    const principal = { scope, keyState: "published" } as const
    again.resentId = resentIdOf(
      yield* ask(again, (node) =>
        handle(
          node,
          (intake) => intake.resend(principal, id.value, (messageId) => reply(200, { messageId })),
          again,
          `/messages/${messageId}/resend`,
          loop.wall()
        ))
    )
    return again
  })

  const cancel = Effect.fnUntraced(function*(messageId: string, environment: number = 1) {
    const scope = yield* scopeOf(environment)
    const id = yield* idOf(messageId)
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
