import type { Rendered } from "#schemas/Rendered.ts"
import type { Step } from "#src/delivery/Journal.ts"

/** Characters of a rendering that weigh as much as a step. */
const unit = 16_384

/** What the steps of one commit weigh at most: however much each has rendered, their statement is one that an embedded database takes. */
export const most = 512

/** What a step's attempt rendered. */
export const shown = ({ attempt, events }: Step): Rendered | undefined =>
  attempt === undefined ? undefined : events.find(({ output }) => output !== undefined)?.output

/** What is not text has no length of its own; few renderings have any of it. */
const lengthOf = ({ body, html, native, raw, text }: Rendered): number =>
  body.length + text.length + html.length +
  (raw === undefined ? 0 : JSON.stringify(raw).length) + (native === undefined ? 0 : JSON.stringify(native).length)

/** What a step's rendering weighs behind the step before it: what shows the same is not written twice. */
const ofRendering = (step: Step, before: Step | undefined): number => {
  const output = shown(step) ?? step.inbox?.rendered
  if (output === undefined) return 0
  const isShared = before !== undefined && step.inbox === undefined && shown(before) === output
  return isShared ? 0 : Math.floor(lengthOf(output) / unit)
}

export const of = (step: Step, before: Step | undefined): number => 1 + ofRendering(step, before)

/** The first of these steps, as far as what they have rendered goes into one commit. */
export const light = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  let weight = 0
  const over = steps.findIndex((step, n) => (weight += ofRendering(step, steps[n - 1])) > most)
  return over === -1 ? steps : steps.slice(0, over)
}
