import { type Element, isElement } from "#schemas/Elemental.ts"
import * as Json from "#schemas/Json.ts"
import type { TemplateContent } from "#schemas/Template.ts"
import * as Own from "#src/content/Own.ts"
import { canonical } from "#src/content/Translations.ts"
import { Effect, Schema } from "effect"

/** The draft has no element of this id: 404. */
export class ElementNotFound extends Schema.TaggedError<ElementNotFound>()("ElementNotFound", {
  id: Schema.String,
  template: Schema.String
}) {}

/** An element's content in one locale; `id` names the element. */
export interface Localized extends Schema.JsonObject {
  readonly id: string
}

type Edit = (element: Schema.JsonObject) => Schema.JsonObject

/**
 * Applies the edits to the elements with these ids, however deep, in one pass. Also answers the ids that were found.
 */
const edited = (content: TemplateContent, edits: ReadonlyMap<string, Edit>) => {
  const found = new Set<string>()
  const walk = (value: Schema.Json): Schema.Json => {
    if (!Json.isObject(value)) return value
    const id = Own.member(value, "id")
    const edit = typeof id === "string" ? edits.get(id) : undefined
    const children = Own.member(value, "elements")
    // Children first, so that no edit is applied inside what another one inserted.
    const own = Json.isList(children) ? { ...value, elements: children.map(walk) } : value
    if (edit === undefined || typeof id !== "string") return own
    found.add(id)
    return edit(own)
  }
  return { content: { ...content, elements: content.elements.map(walk).filter(isElement) }, found }
}

/** The published client's example of an edit has an element's own fields under `data`. Those beside it win. */
const flat = (element: Element): Element => {
  const { data, ...own } = element
  return Json.isObject(data) ? { ...data, ...own } : element
}

/** Replaces the element with this id; the id stays. */
export const putElement = (template: string, id: string, element: Element) =>
  Effect.fnUntraced(function*(before: TemplateContent) {
    const { content, found } = edited(before, new Map([[id, () => ({ ...flat(element), id })]]))
    return found.has(id) ? content : yield* new ElementNotFound({ id, template })
  })

/**
 * Sets the content of these elements in one locale, however an element spells it (`fr_FR`, `fr-FR`), all or none; their
 * other locales stay.
 */
export const putLocale = (template: string, locale: string, texts: ReadonlyArray<Localized>) =>
  Effect.fnUntraced(function*(before: TemplateContent) {
    const written = canonical(locale)
    const saying = (text: Schema.JsonObject): Edit => (element) => {
      const locales = Own.member(element, "locales")
      const others = Json.isObject(locales)
        ? Object.entries(locales).filter(([name]) => canonical(name) !== written)
        : []
      return { ...element, locales: Object.fromEntries([...others, [locale, text]]) }
    }
    // If an element is named twice, the last one counts.
    const { content, found } = edited(before, new Map(texts.map(({ id, ...text }) => [id, saying(text)])))
    const missing = texts.find(({ id }) => !found.has(id))
    return missing === undefined ? content : yield* new ElementNotFound({ id: missing.id, template })
  })
