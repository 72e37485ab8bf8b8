import type { Chance } from "#layers/testing/Chance.ts"
import type { Request, Try } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import { typeOf } from "#layers/testing/Mistakes.ts"
import type { Node } from "#layers/testing/Node.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import type { Environment } from "#layers/testing/Stored.ts"
import { unknown } from "#layers/testing/Unknown.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { CurrentKey, type IdempotencyKey, type StoredResponse } from "#src/access/Idempotency.ts"
import type { JobNotFound } from "#src/delivery/bulk/Jobs.ts"
import type { JobRan } from "#src/delivery/bulk/Run.ts"
import type { SendRefused } from "#src/delivery/intake/Drafts.ts"
import type { Accepted, MessageNotFound, RowRefused } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Effect, Exit, Option, Predicate, Schema } from "effect"

/** How a call is sent. */
export interface SendOptions {
  /**
   * The `Idempotency-Key`. With one, the caller repeats the call until it is answered. Without one, it repeats only
   * calls that reached no node.
   */
  readonly key?: string
  /** By default 1, production. */
  readonly environment?: Environment
}

const mostTries = 40
const hour = 3_600_000

/** A world has two environments; any other number is a mistake in the story, and a defect. */
export const scopeOf = (environment: Environment): Effect.Effect<Scope> =>
  environment === 1 || environment === 2
    ? Effect.succeed(Scope.make(environment))
    : Effect.die(`The environment is ${environment}, and has to be 1 (production) or 2 (test)`)

const decodeId = Schema.decodeUnknownOption(MessageId)

/** A message's id; none if it cannot be one, and a defect if it is no text, such as that of a send not accepted. */
export const idOf = (messageId: string): Effect.Effect<Option.Option<MessageId>> =>
  Predicate.isString(messageId)
    ? Effect.succeed(decodeId(messageId))
    : Effect.die(
      `A message's id has to be a string, and is of type ${typeOf(messageId)}: what is not accepted has none`
    )

const names: Readonly<Record<keyof SendOptions, true>> = { key: true, environment: true }

/** The options; a defect if the story says more, such as a key by another name, which would be none. */
export const said = (options: SendOptions): Effect.Effect<SendOptions> => {
  if (!Predicate.isObject(options)) {
    return Effect.die(`The second argument of a send has to be an object, and is of type ${typeOf(options)}`)
  }
  const [fault] = unknown("The second argument of a send", options, names)
  return fault === undefined ? Effect.succeed(options) : Effect.die(fault)
}

/** The record of a call: what was asked, and every try. */
export type Asked = Pick<Request, "key" | "scope" | "tries">

export const reply = (status: number, body: Schema.Json): StoredResponse => ({
  status,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" }
})

/** A refusal in the words of the API (`layers/http/Refusal.ts`). */
export const refusal = (status: number, message: string): StoredResponse =>
  reply(status, { message, type: "invalid_request_error" })

export const unavailable: StoredResponse = reply(503, {
  message: "The service is not available right now",
  type: "api_error"
})

/** One field of an answer's body. */
export const fieldOf = (name: string) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))
  return (body: string | undefined): string | undefined => {
    const value = Option.getOrUndefined(decode(body))?.[name]
    return typeof value === "string" ? value : undefined
  }
}

/** The call's key, if it has one. `wall` is when it is made, in epoch ms. */
export const keyOf = ({ key, scope }: Asked, path: string, wall: number): IdempotencyKey | undefined =>
  key === undefined ? undefined : { scope, path, value: key, expiresAt: wall + 25 * hour, bodyHash: "" }

/** What the API refuses of what the journal would have committed. */
type Refusal = JobNotFound | JobRan | MessageNotFound | SendRefused

/**
 * Answers as the HTTP edge would (`layers/http/Once.ts`), without HTTP, what the journal commits together with the key:
 * a refusal is kept under the key too.
 */
export const committed = (
  { intake }: Node,
  run: Effect.Effect<Accepted, Refusal | RowRefused | StoreUnavailable>,
  key: IdempotencyKey | undefined
): Effect.Effect<StoredResponse> =>
  run.pipe(
    Effect.catchTags({
      SendRefused: ({ detail }) => intake.keep(refusal(400, detail)),
      MessageNotFound: ({ id }) => intake.keep(refusal(404, `Message ${id} not found`)),
      JobNotFound: ({ id }) => intake.keep(refusal(404, `Bulk job ${id} not found`)),
      JobRan: ({ id }) => intake.keep(refusal(400, `Bulk job ${id} was run already`))
    }),
    Effect.map(({ response }) => response),
    Effect.catchTags({
      RowRefused: () => Effect.succeed(refusal(400, "The request cannot be stored")),
      StoreUnavailable: () => Effect.succeed(unavailable)
    }),
    Effect.provideService(CurrentKey, key)
  )

/** Callers never crash, each call goes to any node, and they record what they see. */
export const make = (options: { readonly loop: Loop; readonly chance: Chance; readonly remote: Remote }) => {
  const { chance, loop, remote } = options

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
  return Effect.fnUntraced(function*(asked: Asked, call: (node: Node) => Effect.Effect<StoredResponse>) {
    for (let n = 0; n < mostTries && !(yield* attempt(asked, call)); n++) yield* Effect.sleep(chance.int(50, 3_000))
    return asked.tries.findLast(({ status }) => status !== undefined && status < 300)?.body
  })
}

export type Caller = ReturnType<typeof make>
