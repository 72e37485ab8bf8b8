import type { Rendered } from "#schemas/Rendered.ts"
import type { Acceptance, Step } from "#src/delivery/Journal.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Size from "#src/delivery/journal/Size.ts"

/** So many characters weigh as much as a message or a step by itself. */
const unit = 16_384

/**
 * Up to so many characters, a message of a request to many weighs 1: most of them are shared in memory with the others
 * of its request. Much longer ones are not remembered (`shared` in `OpenMessage`).
 */
const mostShared = 131_072

const ofSize = (size: number): number => 1 + Math.floor(size / unit)

/** What a message counts of those that may be in hand at once: of large ones, there are fewer. */
export const ofMessage = ({ lane, size }: Pick<OpenMessage, "lane" | "size">): number =>
  lane === "bulk" && size <= mostShared ? 1 : ofSize(size)

/** What an acceptance weighs in the commit that stores it. */
export const ofAcceptance = ({ expansion, messages }: Pick<Acceptance, "expansion" | "messages">): number => {
  const many = expansion === undefined ? 0 : ofSize(Size.of(expansion))
  return messages.reduce((weight, { size }) => weight + ofSize(size), many)
}

/**
 * What one commit may weigh: it keeps the statement to a size that an embedded database takes, whatever callers say.
 */
export const most = 512

/** What a step's attempt rendered. */
export const shown = ({ attempt, events }: Step): Rendered | undefined =>
  attempt === undefined ? undefined : events.find(({ output }) => output !== undefined)?.output

/** Only text has its length at hand; the parts that are JSON are measured, and few renderings have any. */
const lengthOf = ({ body, html, native, raw, text }: Rendered): number =>
  body.length + text.length + html.length + Size.of(raw) + Size.of(native)

/**
 * What a step's rendering weighs, given the step before it: nothing if both show the same, which is written only once.
 */
const ofRendering = (step: Step, before: Step | undefined): number => {
  const output = shown(step) ?? step.inbox?.rendered
  if (output === undefined) return 0
  const isShared = before !== undefined && step.inbox === undefined && shown(before) === output
  return isShared ? 0 : Math.floor(lengthOf(output) / unit)
}

const ofTickets = ({ tickets }: Step): number => tickets === undefined ? 0 : Math.floor(Size.of(tickets) / unit)

/** What a step weighs in a commit, given the step before it. */
export const of = (step: Step, before: Step | undefined): number => 1 + ofRendering(step, before) + ofTickets(step)

/** As many of these steps, from the first on, as have renderings that fit into one commit. */
export const light = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  let weight = 0
  const over = steps.findIndex((step, n) => (weight += ofRendering(step, steps[n - 1])) > most)
  return over === -1 ? steps : steps.slice(0, over)
}
