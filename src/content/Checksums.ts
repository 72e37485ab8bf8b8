import { type Element, isElement } from "#schemas/Elemental.ts"
import * as Json from "#schemas/Json.ts"
import * as Own from "#src/content/Own.ts"
import type { Schema } from "effect"
import { createHash } from "node:crypto"

/** The fields that a translator would change. */
const translatable = ["title", "content", "altText", "alt_text", "raw"]

const md5 = (value: unknown): string => createHash("md5").update(JSON.stringify(value)).digest("hex")

/** Sorts the fields, so that equal content has the same checksum. */
const ordered = (value: Json.Value): unknown => {
  if (Json.isList(value)) return value.map(ordered)
  return Json.isObject(value)
    ? Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, of]) => [key, ordered(of)])
    : value
}

const own = (of: Schema.JsonObject): ReadonlyArray<unknown> =>
  translatable.flatMap((key) => Object.hasOwn(of, key) ? [[key, ordered(Own.member(of, key))]] : [])

const localized = (locales: Json.Value): Schema.JsonObject =>
  Json.isObject(locales)
    ? Object.fromEntries(
      Object.entries(locales).map(([locale, texts]) => [
        locale,
        Json.isObject(texts) ? { ...texts, checksum: md5(own(texts)) } : texts
      ])
    )
    : {}

/**
 * A stored element with the MD5 of its translatable content, nested elements included. Nested elements and locales get
 * their own checksums.
 */
export const withChecksums = <E extends Element>(element: E): E & { readonly checksum: string } => {
  const children = Own.member(element, "elements")
  const elements = Json.isList(children)
    ? children.map((child) => isElement(child) ? withChecksums(child) : child)
    : undefined
  return {
    ...element,
    ...(elements === undefined ? {} : { elements }),
    ...(Json.isObject(element["locales"]) ? { locales: localized(element["locales"]) } : {}),
    checksum: md5([own(element), elements?.map((child) => Own.member(child, "checksum") ?? null) ?? []])
  }
}
