import type { Rendered } from "#schemas/Rendered.ts"
import type { Acceptance, Step } from "#src/delivery/Journal.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Size from "#src/delivery/journal/Size.ts"

/** Characters that weigh as much as a message or a step does by itself. */
const unit = 16_384

/** Characters that the messages of a request to many have in common in hand, if it says no more; what is longer is not kept (`OpenMessage.shared`). */
const mostShared = 131_072

const ofSize = (size: number): number => 1 + Math.floor(size / unit)

/** What a message weighs in hand: of those that say much, there are fewer at once. */
export const ofMessage = ({ lane, size }: Pick<OpenMessage, "lane" | "size">): number =>
  lane === "bulk" && size <= mostShared ? 1 : ofSize(size)

/** What a call weighs in the commit that accepts it. */
export const ofAcceptance = ({ expansion, messages }: Pick<Acceptance, "expansion" | "messages">): number => {
  const many = expansion === undefined ? 0 : ofSize(Size.of(expansion))
  return messages.reduce((weight, { size }) => weight + ofSize(size), many)
}

/** What one commit weighs at most: however much is said in it, its statement is one that an embedded database takes. */
export const most = 512

/** What a step's attempt rendered. */
export const shown = ({ attempt, events }: Step): Rendered | undefined =>
  attempt === undefined ? undefined : events.find(({ output }) => output !== undefined)?.output

/** What is not text has no length of its own; few renderings have any of it. */
const lengthOf = ({ body, html, native, raw, text }: Rendered): number =>
  body.length + text.length + html.length + Size.of(raw) + Size.of(native)

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
