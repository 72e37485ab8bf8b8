import type { Element } from "#schemas/Elemental.ts"
import { isObject, type Value } from "#schemas/Json.ts"
import { member } from "#src/content/Own.ts"
import { canonical, fallbacks } from "#src/content/Translations.ts"

/** A language, and what systems add to it: `en-US-u-mu-celsius`, `en_US@calendar=buddhist`, `de_DE.UTF-8`. */
const tag = /^([A-Za-z]{2,3})((?:[-_][A-Za-z0-9]{2,8}){0,3})(?:[-_][A-Za-z0-9][-_]\w.*|_+#\w.*|[.@]\w.*)?$/

/** The script where Android and Java write it (`sr_RS_#Latn`), or as POSIX calls it (`sr_RS.UTF-8@latin`). */
const added = /_#([A-Za-z]{4})(?![A-Za-z0-9])|@(latin|cyrillic|devanagari)$/i

const scripts: ReadonlyMap<string, string> = new Map([
  ["latin", "Latn"],
  ["cyrillic", "Cyrl"],
  ["devanagari", "Deva"]
])

const hasScript = (rest: string): boolean => /^[-_][A-Za-z]{4}(?![A-Za-z0-9])/.test(rest)

const scriptOf = (locale: string): string => {
  const [, script, word = ""] = added.exec(locale) ?? []
  const found = script ?? scripts.get(word.toLowerCase())
  return found === undefined ? "" : `-${found}`
}

/** A profile's locale as a language tag such as `en-GB`; `undefined` if it is not one. */
export const languageOf = (locale: Value): string | undefined => {
  if (typeof locale !== "string") return undefined
  const [, language, rest = ""] = tag.exec(locale) ?? []
  if (language === undefined) return undefined
  return `${language}${hasScript(rest) ? "" : scriptOf(locale)}${rest}`.replaceAll("_", "-")
}

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
