import { isList } from "#schemas/Json.ts"
import { limits } from "#src/content/Budget.ts"
import { start } from "#src/content/Cut.ts"
import { type Helper, text } from "#src/content/template/Helper.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"
import { sprintf } from "#src/content/template/helpers/Sprintf.ts"

/** The cost of a list's item, compared to looking at one character. */
const costOfItem = 8

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

/** `format "%s/%s" first last`, or with a single list of values. */
const format: Helper = ([pattern, ...words], _, around) => {
  const [first] = words
  const values = words.length === 1 && isList(first) ? first : words
  if (!around.budget.look(values.length * costOfItem)) return undefined
  const said = values.map((value) => text(value, around))
  const made = sprintf(text(pattern, around), said, limits.output)
  if (made === undefined) around.budget.fail("format: the format and its values do not fit")
  return made
}

/** Whether the first letter of a text is of a script that is written from the right. */
const fromRight =
  /^\P{L}*[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}\p{scx=Samr}\p{scx=Mand}\p{scx=Adlm}\p{scx=Rohg}]/u

export const strings: Readonly<Record<string, Helper>> = {
  "capitalize": capitalize,
  "concat": concat,
  "format": format,
  /** A line end as a value: each channel writes it in its own way, HTML as `<br>`. */
  "line-break": () => "\n",
  "text-direction": ([value], _, around) => fromRight.test(text(value, around)) ? "text-rtl" : "",
  "trim": ([value], _, around) => text(value, around).trim(),
  "trim-left": ([value], _, around) => text(value, around).trimStart(),
  "trim-right": ([value], _, around) => text(value, around).trimEnd(),
  "trim-one-char-right": ([value], _, around) => {
    const whole = text(value, around)
    return start(whole, whole.length - 1)
  },
  "truncate": truncate
}
