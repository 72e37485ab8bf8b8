import * as Json from "#schemas/Json.ts"
import type { TemplateContent } from "#schemas/Template.ts"
import { elementalVersion } from "#schemas/Template.ts"
import * as Own from "#src/content/Own.ts"
import type { Schema } from "effect"
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
