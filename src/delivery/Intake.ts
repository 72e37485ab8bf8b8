import type { MessageId } from "#schemas/MessageId.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import { CurrentKey, type StoredResponse } from "#src/access/Idempotency.ts"
import * as Drafts from "#src/delivery/intake/Drafts.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { type Accepted, Journal, type MessageNotFound, type RowRefused } from "#src/delivery/Journal.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Clock, Context, Effect, Layer, Metric } from "effect"

/**
 * Turns one call into messages and makes them durable, together with the response that a replay of the call's
 * idempotency key (`Idempotency.CurrentKey`) must repeat. The answer is the response to give: this call's, or an
 * earlier one's.
 */
export class Intake extends Context.Service<Intake, {
  readonly send: (
    principal: Principal,
    message: SendMessage,
    respond: (requestId: MessageId) => StoredResponse
  ) => Effect.Effect<Accepted, Drafts.SendRefused | RowRefused | StoreUnavailable>
  /**
   * Runs a stored message again for the same recipient, as a new message. One that stands for a group which did not
   * exist is refused: it had no recipient.
   */
  readonly resend: (
    principal: Principal,
    id: MessageId,
    respond: (messageId: MessageId) => StoredResponse
  ) => Effect.Effect<Accepted, Drafts.SendRefused | MessageNotFound | RowRefused | StoreUnavailable>
  /** Stores a response that an operation gave without writing anything, under the current key if there is one. */
  readonly keep: (response: StoredResponse) => Effect.Effect<Accepted, RowRefused | StoreUnavailable>
}>()("tidings/Intake") {}

export const layer = Layer.effect(
  Intake,
  Effect.gen(function*() {
    const journal = yield* Journal
    const log = yield* MessageLog
    const newId = yield* Ids.generator
    const shards = yield* ShardCount

    const accept = Effect.fnUntraced(function*(
      principal: Principal,
      to: Recipient | ReadonlyArray<Recipient>,
      instructions: Drafts.Draft["instructions"],
      respond: (requestId: MessageId) => StoredResponse
    ) {
      const at = yield* Clock.currentTimeMillis
      const requestId = yield* newId(at)
      const drafted = yield* Drafts.make({ principal, requestId, to, instructions, at, shards })
      const key = yield* CurrentKey
      const accepted = yield* journal.accept({ key, response: respond(requestId), ...drafted, at }).pipe(
        Trace.accepting(requestId)
      )
      if (!accepted.replayed) yield* Metric.update(Metrics.accepted, drafted.messages.length)
      return accepted
    })

    return Intake.of({
      send: (principal, { to, ...instructions }, respond) => accept(principal, to, instructions, respond),
      resend: Effect.fnUntraced(function*(principal, id, respond) {
        const { instructions, keyState, recipient } = yield* log.original(principal.scope, id)
        const group = Recipients.isDirect(recipient) ? undefined : Groups.named(recipient)
        if (group !== undefined) {
          return yield* new Drafts.SendRefused({
            detail: `${group} is no recipient of one message: send to it with POST /send`
          })
        }
        const { delay: _, ...now } = instructions
        return yield* accept({ ...principal, keyState }, recipient, now, respond)
      }),
      keep: Effect.fnUntraced(function*(response) {
        const key = yield* CurrentKey
        if (key === undefined) return { response, replayed: false }
        return yield* journal.accept({ key, response, messages: [], profiles: [], at: yield* Clock.currentTimeMillis })
      })
    })
  })
)
