import type { Token } from "#src/content/jsonnet/Lexer.ts"
import { malformed } from "#src/content/jsonnet/Malformed.ts"
import type { RenderFailed } from "#src/content/RenderFailed.ts"

/** How deep expressions may be nested. Each `local` or `else if` of a sequence is one deeper. */
const deepest = 128

/** Free names, each with the place of its first use. `self`, `super` and `$` count as names here. */
export type Wanted = Map<string, number>

const end: Token = { kind: "end", at: 0, text: "" }

/**
 * Walks over the tokens of a program, and collects the names that are still free. The first failure is kept; from then
 * on it only sees the end, so that all parsing stops.
 */
export class Cursor {
  readonly #source: string
  readonly #tokens: ReadonlyArray<Token>
  #next = 0
  #depth = 0
  #wanted: Wanted = new Map()
  /** How many object literals enclose this place. */
  objects = 0
  failure: RenderFailed | undefined = undefined

  constructor(source: string, tokens: ReadonlyArray<Token>) {
    this.#source = source
    this.#tokens = tokens
  }

  get token(): Token {
    return this.#tokens[this.#next] ?? end
  }

  get wanted(): ReadonlyMap<string, number> {
    return this.#wanted
  }

  /** Answers the current token and moves on, never past the end. */
  advance(): Token {
    const { token } = this
    if (token.kind !== "end") this.#next++
    return token
  }

  /** Whether this symbol is next, or comes `ahead` tokens after that. */
  sees(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#next + ahead]
    return token?.kind === "symbol" && token.text === text
  }

  takes(text: string): boolean {
    const seen = this.sees(text)
    if (seen) this.#next++
    return seen
  }

  expect(text: string): void {
    if (!this.takes(text)) this.unexpected(`"${text}"`)
  }

  name(): string {
    if (this.token.kind === "name") return this.advance().text
    this.unexpected("a name")
    return ""
  }

  unexpected(what: string): void {
    const { kind, text } = this.token
    const said = kind === "end" ? "the end" : kind === "string" ? "a text" : `"${text.slice(0, 80)}"`
    this.fail(`expected ${what} instead of ${said}`)
  }

  fail(what: string, at = this.token.at): void {
    this.failure ??= malformed(this.#source, at, what)
    this.#next = this.#tokens.length - 1
  }

  /** Parses something that can be nested in itself, and limits its depth. */
  deeper<A>(read: () => A): A {
    if (++this.#depth > deepest) this.fail(`expressions are nested more than ${deepest} deep`)
    const made = read()
    this.#depth--
    return made
  }

  want(name: string, at: number): void {
    if (!this.#wanted.has(name)) this.#wanted.set(name, at)
  }

  /** Parses something, and collects its free names in `wanted`. */
  into<A>(wanted: Wanted, read: () => A): A {
    const outer = this.#wanted
    this.#wanted = wanted
    const made = read()
    this.#wanted = outer
    return made
  }

  /** Passes free names on to the enclosing expression, except those that are bound here. */
  pass(wanted: Wanted, bound: ReadonlyArray<string>): void {
    for (const name of bound) wanted.delete(name)
    for (const [name, at] of wanted) this.want(name, at)
  }

  /** Fails if a name occurs twice. */
  distinct(names: ReadonlyArray<string>, at: number): void {
    const seen = new Set<string>()
    for (const name of names) {
      if (seen.has(name)) this.fail(`"${name.slice(0, 80)}" is there twice`, at)
      seen.add(name)
    }
  }
}
