import type { Element } from "#schemas/Elemental.ts"
import { isObject, type Value } from "#schemas/Json.ts"
import { member } from "#src/content/Own.ts"
import { canonical } from "#src/content/Translations.ts"

/** A locale of a profile as a language tag, `en-GB`, or nothing if it is none. */
export const languageOf = (locale: Value): string | undefined =>
  typeof locale === "string" && /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/.test(locale)
    ? locale.replaceAll("_", "-")
    : undefined

/** The element as it is in a locale: the exact one, else its language, else as it is (api.md 2.5). */
export const localized = (element: Element, locale: string | undefined): Element => {
  const locales = element["locales"]
  if (locale === undefined || !isObject(locales)) return element
  const names = Object.keys(locales)
  const exact = canonical(locale)
  const name = names.find((known) => canonical(known) === exact) ??
    names.find((known) => canonical(known) === exact.split("-")[0])
  const own = name === undefined ? undefined : member(locales, name)
  // Of a jsonnet element a locale has the whole program.
  if (typeof own === "string" && element.type === "jsonnet") return { ...element, template: own }
  if (!isObject(own)) return element
  // What a locale says in one text stands in place of the pieces, too.
  const pieces = typeof own["content"] === "string" ? { elements: null } : {}
  return { ...element, ...pieces, ...own, type: element.type }
}
