import type { Chance } from "#layers/testing/Chance.ts"
import type { Call, Report } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Effect, Exit } from "effect"

const mostTries = 20

/** The receipts that providers send for their calls: each is repeated until a node acknowledges it. */
export const make = (options: { readonly loop: Loop; readonly chance: Chance; readonly remote: Remote }) => {
  const { chance, loop, remote } = options
  const reports: Array<Report> = []

  const report = Effect.fnUntraced(function*(call: Call, event: Report["event"]) {
    const told: Report = { call: call.number, messageId: call.messageId, event, at: loop.now(), takenAt: undefined }
    const receipt = {
      id: `${call.provider}-${reports.push(told)}`,
      event,
      messageId: MessageId.make(call.messageId),
      attempt: call.attempt,
      reference: `${call.provider}-${call.number}`,
      at: loop.wall(),
      detail: undefined
    }
    for (let n = 0; n < mostTries; n++) {
      const answer = yield* remote((node) => node.receipts.apply(call.scope, [call.provider], [receipt]))
      if (answer._tag === "Answer" && Exit.isSuccess(answer.exit)) {
        told.takenAt = loop.now()
        return
      }
      yield* Effect.sleep(chance.int(50, 3_000))
    }
  })

  return { reports, report }
}
