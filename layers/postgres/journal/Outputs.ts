import type { MessageId } from "#schemas/MessageId.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { recent } from "#src/content/Recent.ts"
import * as Ids from "#src/delivery/Ids.ts"
import type { Step } from "#src/delivery/Journal.ts"

/** A rendered message as JSON: where the messages of a fan-out have one in common, it is written out once. */
export const textOf = recent(4, (output: Rendered): string => JSON.stringify(output))

/** What a step's attempt rendered. */
export const shown = ({ attempt, events }: Step): Rendered | undefined =>
  attempt === undefined ? undefined : events.find(({ output }) => output !== undefined)?.output

/**
 * With whose message what each step rendered is stored: with the first of the batch that shows the same and is of the same request, so that
 * it is kept as long as they all are.
 */
export const of = (batch: ReadonlyArray<Step>): ReadonlyArray<MessageId | undefined> => {
  const first = new Map<Rendered, Step>()
  return batch.map((step) => {
    const output = shown(step)
    if (output === undefined) return undefined
    const { attempt, message } = first.get(output) ?? step
    const isShared = message.scope === step.message.scope && attempt?.number === step.attempt?.number &&
      Ids.origin(message.id) === Ids.origin(step.message.id)
    if (isShared && first.has(output)) return message.id
    first.set(output, step)
    return step.message.id
  })
}
