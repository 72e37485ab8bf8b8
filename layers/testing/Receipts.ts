import type { Chance } from "#layers/testing/Chance.ts"
import { idOf, scopeOf } from "#layers/testing/Caller.ts"
import type { Call, Report } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import { typeOf } from "#layers/testing/Mistakes.ts"
import type { Node } from "#layers/testing/Node.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Effect, Exit, Option, Predicate } from "effect"

const mostTries = 20

const events: Readonly<Record<Report["event"], true>> = { Deliver: true, Open: true, Click: true, Bounce: true }

/** What is told of messages that went out: each is repeated until a node acknowledges it. */
export const make = (options: { readonly loop: Loop; readonly chance: Chance; readonly remote: Remote }) => {
  const { chance, loop, remote } = options
  const reports: Array<Report> = []

  /** Tells a node; answers whether one has acknowledged it. */
  const told = Effect.fnUntraced(function*<A, E>(what: (node: Node) => Effect.Effect<A, E>) {
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
    const one: Report = { call: call.number, messageId: call.messageId, event, at: loop.now(), takenAt: undefined }
    const receipt = {
      id: `${call.provider}-${reports.push(one)}`,
      event,
      messageId: MessageId.make(call.messageId),
      attempt: call.attempt,
      reference: `${call.provider}-${call.number}`,
      at: loop.wall(),
      detail: undefined
    }
    if (yield* told((node) => node.receipts.apply(call.scope, [call.provider], [receipt]))) one.takenAt = loop.now()
  })

  /** The recipient opens the message; one that does not exist is opened by nobody. */
  const open = Effect.fnUntraced(function*(messageId: string, environment: number = 1) {
    const scope = yield* scopeOf(environment)
    const id = yield* idOf(messageId)
    if (Option.isSome(id)) yield* told((node) => node.opened(scope, id.value))
  })

  return { reports, report, open }
}
