import type { Value } from "#schemas/Json.ts"
import { type Helper, type Surroundings, text } from "#src/content/template/Helper.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"

const filled = (said: string, named: ReadonlyMap<string, Value>, around: Surroundings): string =>
  said.replace(
    /\{([A-Za-z_][\w.-]*)\}/g,
    (whole, name: string) => named.has(name) ? text(named.get(name), around) : whole
  )

/**
 * `translate "Hello {name}" name=first_name`: the text of a key (`msgid`) in the recipient's language, or else the key
 * itself, as in gettext. `{name}` in it is replaced by the argument of that name. `count` selects the plural form,
 * `context` is gettext's `msgctxt`.
 */
const translate: Helper = ([key], named, around) => {
  const asked = text(key, around)
  const count = numberOf(named.get("count"))
  const context = text(named.get("context"), around)
  const said = around.translate(asked, {
    ...(context === "" ? {} : { context }),
    ...(count === undefined ? {} : { count })
  })
  return around.budget.look((said ?? asked).length) ? filled(said ?? asked, named, around) : undefined
}

export const translations: Readonly<Record<string, Helper>> = { translate, t: translate }
