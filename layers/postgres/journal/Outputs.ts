import * as Texts from "#layers/postgres/journal/Texts.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { recent } from "#src/content/Recent.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { shown } from "#src/delivery/journal/Weight.ts"
import type { Step } from "#src/delivery/Journal.ts"

/**
 * A rendered message as JSON. The last few are remembered: messages of a fan-out that share a rendering write it out
 * once.
 */
export const textOf = recent(4, (output: Rendered): string => JSON.stringify(output))

/**
 * For each step, the index in the batch of the first step of the same request that shows the same rendering
 * (`undefined`: it shows none). One row of `outputs` holds the rendering for all of them; messages of one request share
 * its retention, so the row lives as long as they do. Which message that row belongs to is decided by the SQL
 * statement, since the first step may be refused.
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

/**
 * The different renderings of a batch, each with the index of the first step that shows it; `places` is the answer of
 * `of`.
 */
export const texts = (batch: ReadonlyArray<Step>, places: ReadonlyArray<number | undefined>) =>
  Texts.of(batch, (step, n) => {
    const output = places[n] === n ? shown(step) : undefined
    return output === undefined ? undefined : textOf(output)
  })
