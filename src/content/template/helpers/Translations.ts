import type { Value } from "#schemas/Json.ts"
import { limits } from "#src/content/Budget.ts"
import { type Helper, type Surroundings, text } from "#src/content/template/Helper.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"
import { sprintf } from "#src/content/template/helpers/Sprintf.ts"

const braced = /\{([A-Za-z_][\w.-]*)\}/g

/** `%s`, `%2$s`, `%d`, `%.2f` of C, or `{0}`. */
const places = /%(?:(\d{1,2})\$)?([-+0]*\d{0,3}(?:\.\d{1,2})?[sdiuf])|\{(\d{1,2})\}/

const either = new RegExp(`${places.source}|%%|${braced.source}`, "g")

const byName = (said: string, named: ReadonlyMap<string, Value>, around: Surroundings): string =>
  said.replace(braced, (whole, name: string) => named.has(name) ? text(named.get(name), around) : whole)

const byPlace = (
  said: string,
  words: ReadonlyArray<Value>,
  named: ReadonlyMap<string, Value>,
  around: Surroundings
): string => {
  const { budget } = around
  let next = 0
  const at = (place: number, directive: string): string | undefined =>
    place < 0 || place >= words.length
      ? undefined
      : sprintf(`%${directive}`, [text(words[place], around)], limits.output)
  return said.replace(
    either,
    (whole, number: string | undefined, directive: string | undefined, index: string | undefined, name: string) => {
      if (whole === "%%") return "%"
      const made = directive !== undefined
        ? at(number === undefined ? next++ : Number(number) - 1, directive)
        : index !== undefined
        ? at(Number(index), "s")
        : named.has(name)
        ? text(named.get(name), around)
        : undefined
      return made === undefined ? whole : budget.look(made.length) ? made : ""
    }
  )
}

/**
 * `translate "Hello {name}" name=first_name`, `t "Salutation" first last`: the text of a key (`msgid`) in the recipient's
 * language, or else the key itself, as in gettext. `{name}` in it is replaced by the argument of that name; where there
 * are arguments without names, `%s`, `%1$s` and `{0}` are replaced by them, and `%%` beside one of these is `%`. `count`
 * selects the plural form, `context` is gettext's `msgctxt`.
 */
const translate: Helper = ([key, ...words], named, around) => {
  const asked = text(key, around)
  const count = numberOf(named.get("count"))
  const context = text(named.get("context"), around)
  const said = around.translate(asked, {
    ...(context === "" ? {} : { context }),
    ...(count === undefined ? {} : { count })
  }) ?? asked
  if (!around.budget.look(said.length)) return undefined
  return words.length > 0 && places.test(said) ? byPlace(said, words, named, around) : byName(said, named, around)
}

export const translations: Readonly<Record<string, Helper>> = { translate, t: translate }
