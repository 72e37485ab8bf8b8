import type { Chance } from "#layers/testing/Chance.ts"
import { idOf, scopeOf } from "#layers/testing/Caller.ts"
import type { Call, Report, ReportEvent } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import { typeOf } from "#layers/testing/Mistakes.ts"
import type { Node } from "#layers/testing/Node.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import type { Environment } from "#layers/testing/Stored.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { SuppressionReason } from "#schemas/Suppression.ts"
import type { Told } from "#src/reports/Callbacks.ts"
import type { ReceiptEvent } from "#src/reports/Receipts.ts"
import { Effect, Exit, Option, Predicate } from "effect"

const mostTries = 20

/** What each event says: of the message, and why its address is to be sent to no more. */
const events: Readonly<
  Record<ReportEvent, {
    readonly message?: ReceiptEvent
    readonly address?: SuppressionReason
  }>
> = {
  Deliver: { message: "Deliver" },
  Open: { message: "Open" },
  Click: { message: "Click" },
  Bounce: { message: "Bounce", address: "BOUNCED" },
  SoftBounce: { message: "Bounce" },
  Complain: { address: "COMPLAINED" },
  Unsubscribe: { address: "UNSUBSCRIBED" }
}

/** What is told of messages that went out: each is repeated until a node acknowledges it. */
export const make = (options: { readonly loop: Loop; readonly chance: Chance; readonly remote: Remote }) => {
  const { chance, loop, remote } = options
  const reports: Array<Report> = []

  /** Tells a node; answers whether one has acknowledged it. */
  const acknowledged = Effect.fnUntraced(function*<A, E>(what: (node: Node) => Effect.Effect<A, E>) {
    for (let n = 0; n < mostTries; n++) {
      const answer = yield* remote(what)
      if (answer._tag === "Answer" && Exit.isSuccess(answer.exit)) return true
      yield* Effect.sleep(chance.int(50, 3_000))
    }
    return false
  })

  /** A provider sends a receipt for one of its calls. */
  const report = Effect.fnUntraced(function*(call: Call, event: Report["event"]) {
    if (!Object.hasOwn(events, event))
      return yield* Effect.die(`A receipt tells of ${event}, which is none of ${Object.keys(events).join(", ")}`)
    // As `world.calls[0]` is, before there is any.
    if (!Predicate.isObject(call))
      return yield* Effect.die(`A receipt has to be for one of world.calls, and got one of type ${typeOf(call)}`)
    const { address: reason, message } = events[event]
    // No vendor of another channel tells of addresses.
    const isOfMail = call.channel === "email"
    if (message === undefined && !isOfMail)
      return yield* Effect.die(
        `A receipt tells of ${event} for mails alone, and call ${call.number} is of ${call.channel}`
      )
    const one: Report = { call: call.number, messageId: call.messageId, event, at: loop.now(), takenAt: undefined }
    const id = `${call.provider}-${reports.push(one)}`
    const at = loop.wall()
    const told: Told = {
      receipts: message === undefined ? [] : [{
        id,
        event: message,
        messageId: MessageId.make(call.messageId),
        attempt: call.attempt,
        reference: `${call.provider}-${call.number}`,
        at,
        detail: undefined
      }],
      addresses: reason === undefined || !isOfMail || call.address === undefined
        ? []
        : [{ channel: "email", address: call.address, reason, detail: undefined, at }]
    }
    const target = { scope: call.scope, provider: call.provider, names: [call.provider] }
    if (yield* acknowledged((node) => node.told(target, told))) one.takenAt = loop.now()
  })

  /** The recipient opens the message; one that does not exist is opened by nobody. */
  const open = Effect.fnUntraced(function*(messageId: string, environment: Environment = 1) {
    const scope = yield* scopeOf(environment)
    const id = yield* idOf(messageId)
    if (Option.isSome(id)) yield* acknowledged((node) => node.opened(scope, id.value))
  })

  return { reports, report, open }
}
