import * as Texts from "#layers/postgres/journal/Texts.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { recent } from "#src/content/Recent.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import type { Step } from "#src/delivery/Journal.ts"

/** A rendered message as JSON: where the messages of a fan-out have one in common, it is written out once. */
export const textOf = recent(4, (output: Rendered): string => JSON.stringify(output))

/** What a step's attempt rendered. */
export const shown = ({ attempt, events }: Step): Rendered | undefined =>
  attempt === undefined ? undefined : events.find(({ output }) => output !== undefined)?.output

/** Characters of a rendering that count as one step of a batch. */
const lightest = 16_384

/** What is not text has no length of its own; few renderings have any of it. */
const lengthOf = ({ body, html, native, raw, text }: Rendered): number =>
  body.length + text.length + html.length +
  (raw === undefined ? 0 : JSON.stringify(raw).length) + (native === undefined ? 0 : JSON.stringify(native).length)

/**
 * What a step counts of a batch: however much each has rendered, their statement is one that an embedded database takes. What shows the same as
 * the step before it is not written twice.
 */
export const weigh = (step: Step, before: Step | undefined): number => {
  const output = shown(step) ?? step.inbox?.rendered
  if (output === undefined) return 1
  const isShared = before !== undefined && step.inbox === undefined && shown(before) === output
  return isShared ? 1 : 1 + Math.floor(lengthOf(output) / lightest)
}

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
