import { type Element, isElement } from "#schemas/Elemental.ts"
import * as Json from "#schemas/Json.ts"
import type { TemplateContent } from "#schemas/Template.ts"
import * as Own from "#src/content/Own.ts"
import { Effect, Schema } from "effect"

/** The draft has no element of this id: 404. */
export class ElementNotFound extends Schema.TaggedError<ElementNotFound>()("ElementNotFound", {
  id: Schema.String,
  template: Schema.String
}) {}

/** Some content of an element in one locale; `id` names the element. */
export interface Localized extends Schema.JsonObject {
  readonly id: string
}

type Edit = (element: Schema.JsonObject) => Schema.JsonObject

/** Applies an edit to every element that has one, however deep; answers the ids that were found too. */
const edited = (content: TemplateContent, edits: ReadonlyMap<string, Edit>) => {
  const found = new Set<string>()
  const walk = (value: Schema.Json): Schema.Json => {
    if (!Json.isObject(value)) return value
    const id = Own.member(value, "id")
    const edit = typeof id === "string" ? edits.get(id) : undefined
    if (edit !== undefined && typeof id === "string") {
      found.add(id)
      return edit(value)
    }
    const children = Own.member(value, "elements")
    return Json.isList(children) ? { ...value, elements: children.map(walk) } : value
  }
  return { content: { ...content, elements: content.elements.map(walk).filter(isElement) }, found }
}

/** Replaces an element by this one; it keeps its id. */
export const putElement = (template: string, id: string, element: Element) =>
  Effect.fnUntraced(function*(before: TemplateContent) {
    const { content, found } = edited(before, new Map([[id, () => ({ ...element, id })]]))
    return found.has(id) ? content : yield* new ElementNotFound({ id, template })
  })

/** Sets what these elements say in one locale, all or none; their other locales stay. */
export const putLocale = (template: string, locale: string, texts: ReadonlyArray<Localized>) =>
  Effect.fnUntraced(function*(before: TemplateContent) {
    let content = before
    // One after the other, since an element may stand inside another one of them.
    for (const { id, ...text } of texts) {
      const edit: Edit = (element) => {
        const locales = Own.member(element, "locales")
        const others = Json.isObject(locales) ? Object.entries(locales).filter(([name]) => name !== locale) : []
        return { ...element, locales: Object.fromEntries([...others, [locale, text]]) }
      }
      const after = edited(content, new Map([[id, edit]]))
      if (!after.found.has(id)) return yield* new ElementNotFound({ id, template })
      content = after.content
    }
    return content
  })
