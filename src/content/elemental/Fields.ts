import { type Element, isElement } from "#schemas/Elemental.ts"
import { isList, type Value } from "#schemas/Json.ts"
import { type Align, type Style, styles } from "#src/content/Block.ts"
import type { Budget } from "#src/content/Budget.ts"
import * as Color from "#src/content/html/Color.ts"
import { length } from "#src/content/html/Length.ts"
import type { Writer } from "#src/content/template/Run.ts"
import { fill, type Scope, writers } from "#src/content/Variables.ts"

export const elementsOf = (value: Value): ReadonlyArray<Element> => isList(value) ? value.filter(isElement) : []

/** Reads the fields of elements. A field of the wrong type fails the budget. */
export class Fields {
  readonly budget: Budget
  readonly plain: Writer

  constructor(budget: Budget) {
    this.budget = budget
    this.plain = writers.plain()
  }

  /** A text as the author wrote it. */
  source(element: Element, key: string): string {
    const value = element[key]
    if (value === undefined || value === null) return ""
    if (typeof value === "string") return value
    if (typeof value === "number" || typeof value === "boolean") return String(value)
    this.budget.fail(`The "${key}" of an element of type "${element.type.slice(0, 80)}" is not a text`)
    return ""
  }

  /** The first of these fields that is present, filled in. */
  text(element: Element, inside: Scope, ...keys: ReadonlyArray<string>): string {
    const key = keys.find((known) => element[known] !== undefined && element[known] !== null)
    return key === undefined ? "" : fill(this.source(element, key), inside, this.budget, this.plain)
  }

  /** An address. White space within it can only come from a value, and would end a link in plain text. */
  address(element: Element, inside: Scope, key: string): string {
    return this.text(element, inside, key).trim().replaceAll(/\s/g, encodeURIComponent)
  }

  flag(element: Element, inside: Scope, key: string): boolean {
    return element[key] !== undefined && this.text(element, inside, key).trim() === "true"
  }

  /** Whether who follows the element's link is not to be heard of, where that is so. */
  tracking(element: Element, inside: Scope): { readonly isUntracked?: true } {
    return this.flag(element, inside, "disable_tracking") ? { isUntracked: true } : {}
  }

  color(element: Element, inside: Scope, ...keys: ReadonlyArray<string>): string | undefined {
    return Color.color(this.text(element, inside, ...keys))
  }

  width(element: Element, inside: Scope): string | undefined {
    return length(this.text(element, inside, "width"))
  }

  align(element: Element, inside: Scope): Align | undefined {
    const said = this.text(element, inside, "align")
    return (["left", "center", "right", "full"] as const).find((known) => known === said)
  }

  style(element: Element): Style {
    return styles.find((known) => known === element["text_style"]) ?? "text"
  }
}
