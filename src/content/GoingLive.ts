import type { Element } from "#schemas/Elemental.ts"
import { isList, isObject } from "#schemas/Json.ts"
import type { TemplateContent } from "#schemas/Template.ts"
import type { ContentRefused } from "#src/content/ContentRefused.ts"
import * as Elemental from "#src/content/Elemental.ts"
import { type Audience, isFor, isLoop } from "#src/content/elemental/Walk.ts"
import { Elements } from "#src/content/live/Elements.ts"
import * as Places from "#src/content/live/Places.ts"
import { Texts } from "#src/content/live/Texts.ts"
import { Effect, type Schema } from "effect"

/** Every text of a `raw` is filled in, however deep; `transformers` are no texts. */
const raw = (texts: Texts, own: Schema.JsonObject, path: string): void => {
  const walk = (value: Schema.Json, at: string): void => {
    if (typeof value === "string") texts.template(value, () => at)
    else if (isList(value)) value.forEach((item, index) => walk(item, `${at}[${index}]`))
    else if (isObject(value)) { for (const [key, item] of Object.entries(value)) walk(item, `${at}.${key}`) }
  }
  for (const [key, value] of Object.entries(own)) if (key !== "transformers") walk(value, `${path}.${key}`)
}

const forAudience = (texts: Texts, content: TemplateContent, audience: Audience): void => {
  const elements = new Elements(texts, audience)
  const path = new Map(content.elements.map((element, index) => [element, `content.elements[${index}]`]))
  const beside = Elemental.beside(content.elements)
  const over = (some: ReadonlyArray<Element>): void => {
    for (const one of some) elements.one(elements.view(one, path.get(one) ?? ""))
  }
  // Of the parts for this audience, the first that is shown is rendered: one after a part that always is, never.
  for (const part of Elemental.forChannel(content.elements, audience)) {
    const at = path.get(part) ?? ""
    const view = elements.view(part, at)
    if (!isFor(view.element["channels"], audience)) continue
    const shows = isLoop(view.element) ? true : elements.shows(view)
    if (shows === false) continue
    for (const key of ["font_size", "line_height", "padding"]) texts.source(view.field(key))
    const own = view.element["raw"]
    if (isObject(own)) raw(texts, own, view.field("raw").at())
    elements.one(elements.view({ ...part, type: "group" }, at))
    over(beside.filter(Elemental.isMeta))
    if (shows === true) return
  }
  over(beside)
}

/**
 * Refuses content that is to go live with the first of its texts, conditions or loops that is none: every rendering
 * that reads it would fail, and its message end UNDELIVERABLE. What no rendering reads is not looked at.
 */
export const checked = (content: TemplateContent): Effect.Effect<void, ContentRefused> =>
  Effect.suspend(() => {
    const texts = new Texts()
    const { audiences, size } = Places.of(content.elements)
    for (const audience of audiences) {
      if (!texts.goesOn(size)) break
      if (Elemental.isWritten(content, audience)) forAudience(texts, content, audience)
    }
    return texts.refused === undefined ? Effect.void : Effect.fail(texts.refused)
  })
