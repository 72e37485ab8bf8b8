import * as Json from "#schemas/Json.ts"
import type { TemplateContent } from "#schemas/Template.ts"
import { elementalVersion } from "#schemas/Template.ts"
import { ContentRefused } from "#src/content/ContentRefused.ts"
import * as Own from "#src/content/Own.ts"
import { Effect, type Schema } from "effect"
import { createHash } from "node:crypto"

/** Checksums are computed for responses, and not stored when they are sent back. */
const withoutChecksum = (object: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== "checksum"))

/**
 * Content as it is stored: every element, however deep, has an id, either its own or one that is made from the whole
 * content. So the same content is stored as the same text when it is sent again, and is no new version of its template.
 */
export const assign = (content: TemplateContent): TemplateContent => {
  const seed = createHash("sha256").update(JSON.stringify(content)).digest()
  let made = 0
  const fresh = (): string =>
    `el_${createHash("sha256").update(seed).update(String(made++)).digest("hex").slice(0, 26)}`

  const locales = (value: Schema.Json): Schema.Json =>
    Json.isObject(value)
      ? Object.fromEntries(
        Object.entries(value).map(([locale, own]) => [
          locale,
          Json.isObject(own) ? withoutChecksum(own) : own
        ])
      )
      : value

  const element = (value: Schema.JsonObject): Schema.JsonObject => {
    const id = Own.member(value, "id")
    const known = typeof id === "string" && id !== "" ? id : fresh()
    const rest = Object.entries(withoutChecksum(value)).map(([key, member]): [string, Schema.Json] => {
      if (key === "elements" && Json.isList(member)) {
        return [key, member.map((child) => Json.isObject(child) ? element(child) : child)]
      }
      return [key, key === "locales" ? locales(member) : member]
    })
    return Object.fromEntries([...rest.filter(([key]) => key !== "id"), ["id", known]])
  }

  return {
    version: content.version ?? elementalVersion,
    elements: content.elements.map((top) => ({ ...element(top), type: top.type }))
  }
}

/** The first place of an id that stands elsewhere, too. */
const repeated = ({ elements }: TemplateContent): ContentRefused | undefined => {
  const places = new Map<string, string>()
  const walk = (all: Schema.JsonArray, path: string): ContentRefused | undefined => {
    for (const [index, element] of all.entries()) {
      if (!Json.isObject(element)) continue
      const place = `${path}[${index}]`
      const id = Own.member(element, "id")
      if (typeof id === "string" && id !== "") {
        const first = places.get(id)
        if (first !== undefined) {
          return new ContentRefused({
            path: `${place}.id`,
            detail: `The id "${id.slice(0, 80)}" is that of another element, ${first}`
          })
        }
        places.set(id, place)
      }
      const children = Own.member(element, "elements")
      const found = Json.isList(children) ? walk(children, `${place}.elements`) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
  return walk(elements, "content.elements")
}

/** Content to store (`assign`). Refused if an id is used twice: an edit of one element would be one of both. */
export const stored = (content: TemplateContent): Effect.Effect<TemplateContent, ContentRefused> => {
  const refused = repeated(content)
  return refused === undefined ? Effect.succeed(assign(content)) : Effect.fail(refused)
}
