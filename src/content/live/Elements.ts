import { type Element, isElement } from "#schemas/Elemental.ts"
import { isList, isObject, type Value } from "#schemas/Json.ts"
import { limits } from "#src/content/Budget.ts"
import { platforms } from "#src/content/elemental/Jsonnet.ts"
import { localized } from "#src/content/elemental/Locales.ts"
import { type Audience, isFor, isLoop, named } from "#src/content/elemental/Walk.ts"
import type { Field, Texts } from "#src/content/live/Texts.ts"

/** Names of fields; of several for the same, the first that is there counts. */
type Keys = ReadonlyArray<string | ReadonlyArray<string>>

const alt = ["alt_text", "altText"]
const format = ["color", "bold", "italic", "strikethrough", "underline"]
const said = ["align", ...format]

/** The fields that each type fills in, wherever it stands among blocks. */
const ofBlocks: ReadonlyMap<string, Keys> = new Map<string, Keys>([
  ["meta", ["title"]],
  ["text", said],
  ["quote", [["border_color", "borderColor"], ...said]],
  ["action", ["content", "href", "align", "disable_tracking", "background_color"]],
  ["image", ["src", "href", alt, "align", "width"]],
  ["divider", ["color"]],
  ["html", ["content"]],
  ["column", ["width"]],
  ["list-item", ["background_color"]]
])

const ofPieces: ReadonlyMap<string, Keys> = new Map<string, Keys>([
  ["string", ["content", ...format]],
  ["link", ["content", "href", "disable_tracking", ...format]],
  ["img", ["src", alt, "href", "width", "disable_tracking"]]
])

const isPiece = ({ type }: Element): boolean => ofPieces.has(type)

const containers = ["group", "columns", "column", "list"]

/** An element as readers of one locale have it, and its fields. */
export interface View {
  readonly element: Element
  readonly field: (key: string) => Field
}

/** Where the author wrote the value that an element has in a locale: in the entry of that, or as its whole. */
const placeOf = (written: Element, { element, key }: Omit<Field, "at">, path: string): string => {
  const value = element[key]
  const locales = value === written[key] ? undefined : written["locales"]
  for (const [name, own] of Object.entries(isObject(locales) ? locales : {})) {
    if (own === value) return `${path}.locales.${name}`
    if (isObject(own) && own[key] === value) return `${path}.locales.${name}.${key}`
  }
  return `${path}.${key}`
}

/**
 * Goes over elements as renderings for one audience do (`Walk`, `Blocks`, `Inlines`), for all data at once: into each
 * that some data would show. What is not rendered is not read, so that nothing that renders is refused.
 */
export class Elements {
  readonly #texts: Texts
  readonly #audience: Audience

  constructor(texts: Texts, audience: Audience) {
    this.#texts = texts
    this.#audience = audience
  }

  view(written: Element, path: string): View {
    const element = localized(written, this.#audience.locale)
    return { element, field: (key) => ({ element, key, at: () => placeOf(written, { element, key }, path) }) }
  }

  /** Whether the element is always shown, or never; `undefined` if that depends on the data. */
  shows({ element, field }: View): boolean | undefined {
    if (!isFor(element["channels"], this.#audience)) return false
    if (isLoop(element)) this.#texts.source(field("loop"))
    return this.#texts.condition(field("if"))
  }

  over(all: Value, path: string, depth = 0, arePieces: (element: Element) => boolean = () => false): void {
    if (!isList(all) || depth > limits.depth) return
    for (const [index, element] of all.entries()) {
      if (isElement(element)) this.one(this.view(element, `${path}[${index}]`), depth, arePieces(element))
    }
  }

  one(view: View, depth = 0, asPiece = false): void {
    if (this.shows(view) === false || this.#texts.refused !== undefined) return
    const { element } = view
    this.#read(view, (asPiece ? ofPieces : ofBlocks).get(element.type) ?? [])
    if (!asPiece) this.#inside(view, depth + 1)
    const isNamed = typeof element["ref"] === "string" && !isLoop(element)
    if (isNamed) this.#read(view, named.filter((key) => typeof element[key] === "string"))
  }

  /** What a block has besides the fields that each of its type has. */
  #inside(view: View, depth: number): void {
    const { element, field } = view
    const parts = element["elements"]
    const within = (arePieces?: (element: Element) => boolean): void =>
      this.over(parts, field("elements").at(), depth, arePieces)
    if (containers.includes(element.type)) within()
    switch (element.type) {
      case "text":
      case "quote":
        return isList(parts) ? within(() => true) : this.#read(view, ["content"])
      case "list": {
        const picture = ["imgSrc", "imgHref", alt, "align", "width"]
        return this.#texts.source(field("imgSrc")) === "" ? undefined : this.#read(view, picture)
      }
      case "list-item":
        if (!isList(parts)) return this.#read(view, [...said, "content"])
        if (parts.some((part) => isElement(part) && isPiece(part))) this.#read(view, said)
        return within(isPiece)
      case "jsonnet": {
        const { channel, providers } = this.#audience
        if (channel !== "direct_message" || !platforms.some(({ provider }) => providers.includes(provider))) return
        const program = field(typeof element["template"] === "string" ? "template" : "content")
        return this.#texts.jsonnet(this.#texts.source(program), program.at)
      }
    }
  }

  #read({ element, field }: View, keys: Keys): void {
    for (const names of keys) {
      const key = [names].flat().find((known) => element[known] !== undefined && element[known] !== null)
      if (key === undefined) continue
      const found = field(key)
      this.#texts.template(this.#texts.source(found), found.at)
    }
  }
}
