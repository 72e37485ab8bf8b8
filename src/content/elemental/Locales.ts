import type { Element } from "#schemas/Elemental.ts"
import { isObject, type Value } from "#schemas/Json.ts"
import { member } from "#src/content/Own.ts"
import { canonical, fallbacks } from "#src/content/Translations.ts"

/** A language, and what systems add to it: `en-US-u-mu-celsius`, `en_US_#u-mu-celsius`, `en_US@calendar=buddhist`, `de_DE.UTF-8`. */
const tag = /^([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3})(?:[-_][A-Za-z0-9][-_]\w.*|_+#\w.*|[.@]\w.*)?$/

/** A profile's locale as a language tag such as `en-GB`; `undefined` if it is not one. */
export const languageOf = (locale: Value): string | undefined =>
  typeof locale === "string" ? tag.exec(locale)?.[1]?.replaceAll("_", "-") : undefined

/**
 * The element in a locale: its entry for exactly this locale, or else for the nearest shorter form (`zh-Hant`, `zh`), or
 * else the element as it is (api.md 2.5).
 */
export const localized = (element: Element, locale: string | undefined): Element => {
  const locales = element["locales"]
  if (locale === undefined || !isObject(locales)) return element
  const names = Object.keys(locales)
  const name = fallbacks(locale).map((form) => names.find((known) => canonical(known) === form))
    .find((found) => found !== undefined)
  const own = name === undefined ? undefined : member(locales, name)
  // For a jsonnet element, the locale's entry is the whole program.
  if (typeof own === "string" && element.type === "jsonnet") return { ...element, template: own }
  if (!isObject(own)) return element
  // A locale's single text replaces the pieces (`elements`), too.
  const pieces = typeof own["content"] === "string" ? { elements: null } : {}
  return { ...element, ...pieces, ...own, type: element.type }
}
