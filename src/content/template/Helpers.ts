import type { Helper } from "#src/content/template/Helper.ts"
import { data } from "#src/content/template/helpers/Data.ts"
import { dates } from "#src/content/template/helpers/Dates.ts"
import { intl } from "#src/content/template/helpers/Intl.ts"
import { lists } from "#src/content/template/helpers/Lists.ts"
import { logic } from "#src/content/template/helpers/Logic.ts"
import { numbers } from "#src/content/template/helpers/Numbers.ts"
import { translations } from "#src/content/template/helpers/Translations.ts"
import { strings } from "#src/content/template/helpers/Strings.ts"

/**
 * The helpers of api.md 2.6 by their names, and others that templates brought over use; `each`, `with` and the like are
 * part of the language.
 */
export const helpers: ReadonlyMap<string, Helper> = new Map(
  Object.entries({ ...logic, ...data, ...strings, ...numbers, ...dates, ...lists, ...intl, ...translations })
)
