import * as Texts from "#layers/postgres/journal/Texts.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { recent } from "#src/content/Recent.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { shown } from "#src/delivery/journal/Weight.ts"
import type { Step } from "#src/delivery/Journal.ts"

/** A rendered message as JSON: where the messages of a fan-out have one in common, it is written out once. */
export const textOf = recent(4, (output: Rendered): string => JSON.stringify(output))

/**
 * The place in the batch of the first step that shows the same, of the same request: one row holds it for all of them, and is kept as long as
 * they are. With whose message it is stored is the statement's to say: the first step may be refused.
 */
export const of = (batch: ReadonlyArray<Step>): ReadonlyArray<number | undefined> => {
  const first = new Map<Rendered, number>()
  return batch.map((step, n) => {
    const output = shown(step)
    if (output === undefined) return undefined
    const place = first.get(output)
    const earlier = place === undefined ? undefined : batch[place]
    const isShared = earlier?.message.scope === step.message.scope &&
      earlier.attempt?.number === step.attempt?.number &&
      Ids.origin(earlier.message.id) === Ids.origin(step.message.id)
    if (isShared) return place
    first.set(output, n)
    return n
  })
}

/** What the steps of a batch show, each once: `places` says with which of them it stands (`of`). */
export const texts = (batch: ReadonlyArray<Step>, places: ReadonlyArray<number | undefined>) =>
  Texts.of(batch, (step, n) => {
    const output = places[n] === n ? shown(step) : undefined
    return output === undefined ? undefined : textOf(output)
  })
