import { type Caller, toEmail } from "#test/support/Caller.ts"
import type { Answer } from "#test/support/Exchange.ts"
import { setTimeout as sleep } from "node:timers/promises"

export const keyOf = (n: number): string => `send-${n}`

/** Every fourth message has a recipient in common with others. */
export const bodyOf = (n: number) => toEmail(n % 4 === 0 ? `shared-${n % 40}` : `own-${n}`)

export const requestIdOf = ({ body }: Answer): string => {
  const parsed: { readonly requestId?: string } = JSON.parse(body)
  return parsed.requestId ?? ""
}

/**
 * Sends come in at a steady rate whatever the server does, never more than `allowed()`, until `isOver(made)`; each insists under its key
 * until it is answered. Resolves to all answers, in the order of the sends.
 */
export const run = async (callers: ReadonlyArray<Caller>, options: {
  readonly perSecond: number
  readonly allowed: () => number
  readonly isOver: (made: number) => boolean
}): Promise<ReadonlyArray<Answer>> => {
  const answers: Array<Promise<Answer>> = []
  while (!options.isOver(answers.length)) {
    const due = Math.min(options.allowed(), answers.length + options.perSecond / 100)
    for (let n = answers.length; n < due; n++) {
      const caller = callers[n % callers.length]
      if (caller !== undefined) answers.push(caller.insist("/send", keyOf(n), bodyOf(n)))
    }
    await sleep(10)
  }
  return Promise.all(answers)
}
