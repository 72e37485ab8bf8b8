import {
  type Comparison,
  comparisons,
  type Expression,
  type Method,
  methods
} from "#src/delivery/conditions/Expression.ts"
import { invalid, type InvalidCondition } from "#src/delivery/conditions/InvalidCondition.ts"
import { type Token, tokens } from "#src/delivery/conditions/Lexer.ts"
import { Result } from "effect"

const deepest = 64

const nothing: Expression = { _tag: "Literal", value: undefined }

const words: ReadonlyMap<string, Expression> = new Map([
  ["true", { _tag: "Literal", value: true }],
  ["false", { _tag: "Literal", value: false }],
  ["null", { _tag: "Literal", value: null }],
  ["undefined", nothing]
])

const equality = comparisons.filter((sign) => sign.endsWith("=") && !sign.startsWith("<") && !sign.startsWith(">"))
const order = comparisons.filter((sign) => !equality.includes(sign))

const show = (token: Token): string => {
  if (token._tag === "End") return "the end"
  return token._tag === "Name" || token._tag === "Mark" ? JSON.stringify(token.text) : JSON.stringify(token.value)
}

/** Reads one expression by recursive descent with JavaScript's precedence. */
class Reader {
  readonly #tokens: ReadonlyArray<Token>
  readonly #end: Token
  #next = 0
  #depth = 0
  failure: InvalidCondition | undefined = undefined

  constructor(found: ReadonlyArray<Token>) {
    this.#tokens = found
    this.#end = found.at(-1) ?? { _tag: "End", at: 0 }
  }

  whole(): Expression {
    const expression = this.#choice()
    if (this.#token._tag !== "End") this.#fail(`unexpected ${show(this.#token)}`)
    return expression
  }

  get #token(): Token {
    return this.#tokens[this.#next] ?? this.#end
  }

  /** The first failure is kept; nothing is left to read after it, so every loop and recursion ends. */
  #fail(what: string): Expression {
    this.failure ??= invalid(this.#token.at, what)
    this.#next = this.#tokens.length
    return nothing
  }

  #take(mark: string): boolean {
    const token = this.#token
    const found = token._tag === "Mark" && token.text === mark
    if (found) this.#next++
    return found
  }

  #expect(mark: string): void {
    if (!this.#take(mark)) this.#fail(`expected "${mark}" instead of ${show(this.#token)}`)
  }

  #nested(read: () => Expression): Expression {
    if (this.#depth >= deepest) return this.#fail(`it is nested more than ${deepest} deep`)
    this.#depth++
    const expression = read()
    this.#depth--
    return expression
  }

  #choice(): Expression {
    const test = this.#any()
    if (!this.#take("?")) return test
    const yes = this.#nested(() => this.#choice())
    this.#expect(":")
    return { _tag: "Choose", test, yes, no: this.#nested(() => this.#choice()) }
  }

  #any(): Expression {
    const first = this.#all()
    const of = [first]
    while (this.#take("||")) of.push(this.#all())
    return of.length === 1 ? first : { _tag: "Any", of }
  }

  #all(): Expression {
    const first = this.#equal()
    const of = [first]
    while (this.#take("&&")) of.push(this.#equal())
    return of.length === 1 ? first : { _tag: "All", of }
  }

  #equal(): Expression {
    return this.#compared(equality, () => this.#compared(order, () => this.#unary()))
  }

  #compared(signs: ReadonlyArray<Comparison>, operand: () => Expression): Expression {
    let left = operand()
    for (let chained = 0;; chained++) {
      const by = signs.find((sign) => this.#take(sign))
      if (by === undefined) return left
      if (chained >= deepest) return this.#fail(`more than ${deepest} comparisons in a chain`)
      left = { _tag: "Compare", by, left, right: operand() }
    }
  }

  #unary(): Expression {
    if (this.#take("!")) return { _tag: "Not", of: this.#nested(() => this.#unary()) }
    if (this.#take("-")) return { _tag: "Minus", of: this.#nested(() => this.#unary()) }
    return this.#members()
  }

  #members(): Expression {
    let of = this.#primary()
    for (let chained = 0;; chained++) {
      const optional = this.#take("?.")
      if (this.#take("[")) {
        of = { _tag: "Member", of, key: this.#nested(() => this.#choice()) }
        this.#expect("]")
      } else if (optional || this.#take(".")) {
        of = this.#named(of)
      } else {
        return of
      }
      if (chained >= deepest) return this.#fail(`a path of more than ${deepest} steps`)
    }
  }

  #named(of: Expression): Expression {
    const token = this.#token
    if (token._tag !== "Name") return this.#fail(`expected a name instead of ${show(token)}`)
    const called = this.#tokens[this.#next + 1]
    const method: Method | undefined = methods.find((known) => known === token.text)
    if (called?._tag !== "Mark" || called.text !== "(") {
      this.#next++
      return { _tag: "Member", of, key: { _tag: "Literal", value: token.text } }
    }
    if (method === undefined)
      return this.#fail(`"${token.text}" is not a function of conditions (${methods.join(", ")})`)
    this.#next += 2
    const argument = this.#nested(() => this.#choice())
    this.#expect(")")
    return { _tag: "Call", of, method, argument }
  }

  #primary(): Expression {
    const token = this.#token
    switch (token._tag) {
      case "Number":
      case "String":
        this.#next++
        return { _tag: "Literal", value: token.value }
      case "Name":
        this.#next++
        return words.get(token.text) ?? { _tag: "Name", name: token.text }
      case "End":
        return this.#fail("it ends where a value is expected")
      case "Mark": {
        if (!this.#take("(")) return this.#fail(`unexpected ${show(token)}`)
        const inside = this.#nested(() => this.#choice())
        this.#expect(")")
        return inside
      }
    }
  }
}

/** Braces as templates have them, around the whole text. */
const braced = /^(\s*)\{\{([^{}]*)\}\}\s*$/

/**
 * The expression a text stands for, or where it stops being one. It may be in braces (`{{user.isPremium}}`), as in an
 * example of the compatible service's documentation.
 */
export const parse = (text: string): Result.Result<Expression, InvalidCondition> =>
  // Spaces for the braces: what is wrong is told by its place in the text.
  Result.flatMap(tokens(text.replace(braced, "$1  $2")), (found) => {
    const reader = new Reader(found)
    const expression = reader.whole()
    return reader.failure === undefined ? Result.succeed(expression) : Result.fail(reader.failure)
  })
