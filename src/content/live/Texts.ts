import type { Element } from "#schemas/Elemental.ts"
import { Budget } from "#src/content/Budget.ts"
import { ContentRefused } from "#src/content/ContentRefused.ts"
import { Fields } from "#src/content/elemental/Fields.ts"
import { known } from "#src/content/jsonnet/Globals.ts"
import * as Jsonnet from "#src/content/jsonnet/Parser.ts"
import type { RenderFailed } from "#src/content/RenderFailed.ts"
import { parse } from "#src/content/template/Parser.ts"
import { isTemplate } from "#src/content/template/Tags.ts"
import * as Conditions from "#src/delivery/conditions/Parser.ts"
import { Result } from "effect"

/** Values that are gone over, whatever the content. */
const mostVisited = 200_000

/** What it takes to parse a character of a condition or a program, compared to looking at one. */
const costOfParsing = 16

/** One field of an element; `at`: where a caller finds it. */
export interface Field {
  readonly element: Element
  readonly key: string
  readonly at: () => string
}

/**
 * Parses the texts of a content as its renderings would, each but once, and keeps the first that fails all of them. It
 * reads no more than one rendering may: what is left then counts as well formed.
 */
export class Texts {
  readonly #paid = new Budget()
  readonly #faults = new Budget()
  readonly #fields = new Fields(this.#faults)
  readonly #templates = new Set<string>()
  readonly #programs = new Set<string>()
  readonly #conditions = new Map<string, boolean | undefined>()
  #left = mostVisited
  refused: ContentRefused | undefined = undefined

  /** Whether to go over so many values more. */
  goesOn(values: number): boolean {
    if (this.refused !== undefined || this.#paid.failure !== undefined || this.#left <= 0) return false
    this.#left -= values
    return true
  }

  /** The text of a field; one that is none fails every rendering that reads it. */
  source({ at, element, key }: Field): string {
    const source = this.#fields.source(element, key)
    this.#note(at)
    return source
  }

  template(source: string, at: () => string): void {
    if (!isTemplate(source) || this.#templates.has(source)) return
    this.#templates.add(source)
    this.#parsed(parse(source, (amount) => this.#paid.look(amount)), at)
  }

  jsonnet(source: string, at: () => string): void {
    if (this.#programs.has(source) || !this.#paid.look(costOfParsing * source.length)) return
    this.#programs.add(source)
    this.#parsed(Jsonnet.parse(source, known), at)
  }

  /** Whether a condition always holds or never does; `undefined` if that depends on the data. */
  condition(field: Field): boolean | undefined {
    const said = field.element[field.key]
    if (said === undefined || said === null || said === "") return true
    if (typeof said === "boolean") return said
    const source = this.source(field)
    if (this.#conditions.has(source)) return this.#conditions.get(source)
    if (this.refused !== undefined || !this.#paid.look(costOfParsing * source.length)) return undefined
    const parsed = Conditions.parse(source)
    this.#parsed(parsed, field.at)
    const holds = Result.isSuccess(parsed) && parsed.success._tag === "Literal"
      ? Boolean(parsed.success.value)
      : undefined
    this.#conditions.set(source, holds)
    return holds
  }

  #parsed(parsed: Result.Result<unknown, Pick<RenderFailed, "detail">> | undefined, at: () => string): void {
    if (parsed !== undefined && Result.isFailure(parsed)) this.#faults.fail(parsed.failure.detail)
    this.#note(at)
  }

  #note(at: () => string): void {
    const { failure } = this.#faults
    if (failure !== undefined) this.refused ??= new ContentRefused({ path: at(), detail: failure.detail })
  }
}
