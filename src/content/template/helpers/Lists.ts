import type { Value } from "#schemas/Json.ts"
import { type Helper, type Surroundings, text } from "#src/content/template/Helper.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"
import { textOf } from "#src/content/Own.ts"

/** The cost of making a list's item, compared to looking at one character. */
const costOfItem = 8

/** `split "a,b" ","`: the parts of a text. */
const split: Helper = ([value, by], _, around) => {
  const { budget } = around
  if (typeof value !== "string" || typeof by !== "string") {
    const wrong = typeof value === "string" ? by : value
    budget.fail(`split: "${textOf(wrong).slice(0, 80)}" is not a text`)
    return undefined
  }
  const most = Math.max(0, Math.floor(budget.scan.left / costOfItem)) + 1
  const parts = text(value, around).split(by, most)
  return budget.look(parts.length * costOfItem) ? parts : undefined
}

const given = (value: Value, { budget }: Surroundings): number => {
  const number = numberOf(value)
  if (number !== undefined && Number.isFinite(number)) return number
  budget.fail(`range: "${textOf(value).slice(0, 80)}" is not a number`)
  return Number.NaN
}

/**
 * `range 5`, `range 1 5`, `range 0 20 5`: numbers from a first one, or else zero, up or down to a last one, which is not
 * among them, by a step, or else one. As in the service that this language comes from, there are none before a last of
 * zero.
 */
const range: Helper = (words, _, around) => {
  const { budget } = around
  const first = given(words.length > 1 ? words[0] : 0, around)
  const last = given(words[words.length > 1 ? 1 : 0], around)
  const step = given(words.length > 2 ? words[2] : 1, around)
  if (step === 0) budget.fail("range: a step of zero never ends")
  if (budget.failure !== undefined) return undefined
  if (last === 0) return []
  const count = Math.max(0, Math.ceil((last - first) / step))
  if (!budget.look(count * costOfItem)) return undefined
  const found: Array<number> = []
  // Rounded sums may reach the last number one step later, or never.
  for (let at = first; (step > 0 ? at < last : at > last) && found.length <= count; at += step) found.push(at)
  return found
}

export const lists: Readonly<Record<string, Helper>> = { range, split }
