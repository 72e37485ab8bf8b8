import type { Element } from "#schemas/Elemental.ts"
import { isList, type Value } from "#schemas/Json.ts"
import { limits } from "#src/content/Budget.ts"
import { elementsOf, type Fields } from "#src/content/elemental/Fields.ts"
import { localized } from "#src/content/elemental/Locales.ts"
import { type Scope, valueAt } from "#src/content/Variables.ts"
import * as Conditions from "#src/delivery/Conditions.ts"
import { Result, type Schema } from "effect"

/** The channel, provider and locale that elements are shown for. */
export interface Audience {
  readonly channel: string
  /** All names of the provider, its vendor's key included. */
  readonly providers: ReadonlyArray<string>
  readonly locale: string | undefined
}

/** Whether an element's `channels` name this channel or provider. An element without `channels` is for all. */
export const isFor = (names: Value, { channel, providers }: Pick<Audience, "channel" | "providers">): boolean =>
  !isList(names) || names.includes(channel) || providers.some((name) => names.includes(name))

/** The fields of elements with a `ref` that are filled in, besides the content. */
export const named = ["title", "href", "src", "alt_text", "altText", "imgSrc", "imgHref"] as const

export const isLoop = ({ loop }: Element): boolean => loop !== undefined && loop !== null

/** How deep inside others elements are. */
export interface Nesting {
  readonly depth: number
  readonly lists: number
}

/** The cost of copying a field, compared to looking at one character. */
const costOfMember = 16

/** What elements are rendered to, and how that reads as text for a `ref`. */
export interface Making<A> {
  readonly put: (element: Element, inside: Scope, nesting: Nesting) => ReadonlyArray<A>
  readonly read: (made: ReadonlyArray<A>) => string
}

/** Handles `channels`, `locales`, `if`, `loop` and `ref`, which every element may have (api.md 2.5). */
export class Walk {
  readonly #fields: Fields
  readonly audience: Audience
  readonly #refs: { [name: string]: Schema.Json } = Object.create(null)
  /** Cache of elements in the reader's locale, so that a loop does not search the locales at every turn. */
  #localized: Map<Element, Element> | undefined

  constructor(fields: Fields, audience: Audience) {
    this.#fields = fields
    this.audience = audience
  }

  get refs(): Schema.JsonObject {
    return this.#refs
  }

  /** Whether an element is shown at all. In a loop, `if` is evaluated at every turn instead. */
  shows(element: Element, inside: Scope): boolean {
    const names = element["channels"]
    if (isList(names) && !this.#fields.budget.look(names.length * (1 + this.audience.providers.length))) return false
    return isFor(names, this.audience) && (isLoop(element) || this.#holds(element, inside))
  }

  /** The element as it is in the reader's locale. */
  localized(element: Element): Element {
    if (element["locales"] === undefined) return element
    const known = this.#localized ??= new Map()
    const found = known.get(element)
    if (found !== undefined) return found
    const own = localized(element, this.audience.locale)
    known.set(element, own)
    return own
  }

  over<A>(elements: Value, inside: Scope, nesting: Nesting, making: Making<A>): ReadonlyArray<A> {
    const { budget } = this.#fields
    if (nesting.depth > limits.depth) {
      budget.fail(`Elements are nested more than ${limits.depth} deep`)
      return []
    }
    const all: Array<A> = []
    // Entries that are skipped still cost time.
    if (isList(elements) && !budget.look(elements.length)) return all
    for (const element of elementsOf(elements)) {
      if (!budget.step()) return all
      const own = this.localized(element)
      const made = this.#one(own, inside, nesting, making)
      this.#name(own, inside, made, making)
      for (const one of made ?? []) all.push(one)
    }
    return all
  }

  /** What the element is rendered to; `undefined` if it is not shown. */
  #one<A>(element: Element, inside: Scope, nesting: Nesting, making: Making<A>): ReadonlyArray<A> | undefined {
    if (!this.shows(element, inside)) return undefined
    return isLoop(element) ? this.#repeat(element, inside, nesting, making) : making.put(element, inside, nesting)
  }

  #repeat<A>(element: Element, inside: Scope, nesting: Nesting, making: Making<A>): ReadonlyArray<A> | undefined {
    const { budget } = this.#fields
    const path = this.#fields.source(element, "loop")
    const items = (budget.look(path.length) ? valueAt(path, inside) : undefined) ?? []
    if (!isList(items)) {
      budget.fail(`The loop over "${path.slice(0, 80)}" needs a list`)
      return undefined
    }
    let all: Array<A> | undefined
    for (const [index, item] of items.entries()) {
      if (!budget.turn()) return all
      const turn = { ...inside, loop: { item, index } }
      if (!this.#holds(element, turn)) continue
      all ??= []
      for (const one of making.put(element, turn, nesting)) all.push(one)
    }
    return all
  }

  #holds(element: Element, inside: Scope): boolean {
    const condition = element["if"]
    // An editor leaves an empty text where a condition was deleted.
    if (condition === undefined || condition === null || condition === "") return true
    if (typeof condition === "boolean") return condition
    const { budget } = this.#fields
    const { data, loop, profile, refs } = inside
    const held = Conditions.evaluate(this.#fields.source(element, "if"), { data, profile, refs, $: loop }, budget.scan)
    if (Result.isSuccess(held)) return held.success
    budget.fail(held.failure.detail)
    return false
  }

  /**
   * Makes an element known by its `ref`: with its texts filled in, unless it is a loop, whose turns would each have
   * other texts.
   */
  #name<A>(element: Element, inside: Scope, made: ReadonlyArray<A> | undefined, { read }: Making<A>): void {
    const ref = element["ref"]
    if (typeof ref !== "string" || !this.#fields.budget.look(costOfMember * Object.keys(element).length)) return
    if (made === undefined) {
      this.#refs[ref] = { ...element, visible: false }
      return
    }
    const content = read(made)
    if (!this.#fields.budget.write(content.length)) return
    const said = isLoop(element) ? [] : named.filter((key) => typeof element[key] === "string")
    const filled = said.map((key) => [key, this.#fields.text(element, inside, key)])
    this.#refs[ref] = { ...element, ...Object.fromEntries(filled), content, visible: true }
  }
}
