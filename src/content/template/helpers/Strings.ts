import { limits } from "#src/content/Budget.ts"
import { start } from "#src/content/Cut.ts"
import { type Helper, text } from "#src/content/template/Helper.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"
import { sprintf } from "#src/content/template/helpers/Sprintf.ts"

const truncate: Helper = ([value, length, suffix], _, around) => {
  const whole = text(value, around)
  const most = numberOf(length)
  if (most === undefined || most < 0) {
    around.budget.fail("truncate: the length is not a number of characters")
    return undefined
  }
  return whole.length <= most ? whole : start(whole, Math.floor(most)) + text(suffix, around)
}

const concat: Helper = (words, named, around) =>
  words.map((word) => text(word, around)).join(text(named.get("separator"), around))

const capitalize: Helper = ([value], _, around) => {
  const whole = text(value, around)
  const [first = ""] = whole
  return first.toUpperCase() + whole.slice(first.length)
}

const format: Helper = ([pattern, ...values], _, around) => {
  const said = values.map((value) => text(value, around))
  const made = sprintf(text(pattern, around), said, limits.output)
  if (made === undefined) around.budget.fail("format: the format and its values do not fit")
  return made
}

export const strings: Readonly<Record<string, Helper>> = {
  "capitalize": capitalize,
  "concat": concat,
  "format": format,
  "trim": ([value], _, around) => text(value, around).trim(),
  "trim-left": ([value], _, around) => text(value, around).trimStart(),
  "trim-right": ([value], _, around) => text(value, around).trimEnd(),
  "trim-one-char-right": ([value], _, around) => {
    const whole = text(value, around)
    return start(whole, whole.length - 1)
  },
  "truncate": truncate
}
