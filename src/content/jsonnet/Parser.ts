import { Cursor, type Wanted } from "#src/content/jsonnet/Cursor.ts"
import { tokens } from "#src/content/jsonnet/Lexer.ts"
import { malformed } from "#src/content/jsonnet/Malformed.ts"
import { assertion, bind, clauses, functionOf, object } from "#src/content/jsonnet/Members.ts"
import type { BinaryOperator, Bind, Node, Program, UnaryOperator } from "#src/content/jsonnet/Program.ts"
import { RenderFailed } from "#src/content/RenderFailed.ts"
import { Result } from "effect"

/** The longest program, in UTF-16 units. */
const longest = 32_768

const strengths: ReadonlyMap<string, readonly [BinaryOperator, strength: number]> = new Map(
  ([
    ["*", "/", "%"],
    ["+", "-"],
    ["<<", ">>"],
    ["<", ">", "<=", ">=", "in"],
    ["==", "!="],
    ["&"],
    ["^"],
    ["|"],
    ["&&"],
    ["||"]
  ] as const).flatMap((operators: ReadonlyArray<BinaryOperator>, weakness) =>
    operators.map((operator) => [operator, [operator, 10 - weakness]] as const)
  )
)

const signs: ReadonlyMap<string, UnaryOperator> = new Map([["!", "!"], ["-", "-"], ["+", "+"], ["~", "~"]])

const constants: ReadonlyMap<string, boolean | null> = new Map([["true", true], ["false", false], ["null", null]])

const nothing: Node = { _tag: "Literal", at: 0, value: null }

const array = (cursor: Cursor, at: number): Node => {
  const items: Array<Node> = []
  const wanted: Wanted = new Map()
  cursor.into(wanted, () => {
    while (cursor.token.kind !== "end" && !cursor.sees("]") && !cursor.sees("for")) {
      items.push(expression(cursor))
      if (!cursor.takes(",")) break
    }
  })
  const [body = nothing] = items
  if (!cursor.sees("for")) cursor.pass(wanted, [])
  else if (items.length !== 1) cursor.fail("an array comprehension has one value")
  else {
    const made: Node = { _tag: "Comprehension", at, body, clauses: clauses(cursor, expression, wanted) }
    cursor.expect("]")
    return made
  }
  cursor.expect("]")
  return { _tag: "Array", at, items }
}

const local = (cursor: Cursor, at: number): Node => {
  const wanted: Wanted = new Map()
  const binds: Array<Bind> = []
  const body = cursor.into(wanted, () => {
    do binds.push(bind(cursor, expression))
    while (cursor.takes(","))
    cursor.expect(";")
    return expression(cursor)
  })
  const names = binds.map(({ name }) => name)
  cursor.distinct(names, at)
  cursor.pass(wanted, names)
  return { _tag: "Local", at, binds, body }
}

const superOf = (cursor: Cursor, at: number): Node => {
  cursor.want("super", at)
  if (cursor.takes(".")) {
    const { at: where } = cursor.token
    return { _tag: "Super", at, name: { _tag: "Literal", at: where, value: cursor.name() } }
  }
  cursor.expect("[")
  const name = expression(cursor)
  cursor.expect("]")
  return { _tag: "Super", at, name }
}

const conditional = (cursor: Cursor, at: number): Node => {
  const condition = expression(cursor)
  cursor.expect("then")
  const body = expression(cursor)
  return { _tag: "If", at, condition, body, otherwise: cursor.takes("else") ? expression(cursor) : undefined }
}

const checked = (cursor: Cursor, at: number): Node => {
  const found = assertion(cursor, expression)
  cursor.expect(";")
  return { _tag: "Assert", at, assertion: found, body: expression(cursor) }
}

const keyword = (cursor: Cursor, at: number, text: string): Node | undefined => {
  switch (text) {
    case "(": {
      const made = expression(cursor)
      cursor.expect(")")
      return made
    }
    case "[":
      return array(cursor, at)
    case "{":
      return object(cursor, expression, at)
    case "self":
      cursor.want("self", at)
      return { _tag: "Self", at }
    case "$":
      cursor.want("$", at)
      return { _tag: "Root", at }
    case "super":
      return superOf(cursor, at)
    case "local":
      return local(cursor, at)
    case "if":
      return conditional(cursor, at)
    case "function":
      return functionOf(cursor, expression, at, expression)
    case "error":
      return { _tag: "Error", at, message: expression(cursor) }
    case "assert":
      return checked(cursor, at)
    case "import":
    case "importstr":
    case "importbin":
      cursor.fail("a program here is one text and imports nothing", at)
      return nothing
    default:
      return undefined
  }
}

const primary = (cursor: Cursor): Node => {
  const { token } = cursor
  const { at } = token
  if (token.kind === "end") {
    cursor.unexpected("an expression")
    return nothing
  }
  cursor.advance()
  if (token.kind === "number") return { _tag: "Literal", at, value: token.value }
  if (token.kind === "string") return { _tag: "Literal", at, value: token.text }
  if (token.kind === "name") {
    cursor.want(token.text, at)
    return { _tag: "Name", at, name: token.text }
  }
  const constant = constants.get(token.text)
  if (constant !== undefined) return { _tag: "Literal", at, value: constant }
  const sign = signs.get(token.text)
  if (sign !== undefined) return { _tag: "Unary", at, operator: sign, of: cursor.deeper(() => operand(cursor)) }
  const made = keyword(cursor, at, token.text)
  if (made === undefined) cursor.fail(`expected an expression instead of "${token.text}"`, at)
  return made ?? nothing
}

/** Parses what follows `of[`: an index, or a slice. */
const bracketed = (cursor: Cursor, of: Node, at: number): Node => {
  const bounds: [Node | undefined, Node | undefined, Node | undefined] = [undefined, undefined, undefined]
  let colons = 0
  while (cursor.token.kind !== "end" && !cursor.sees("]")) {
    // Two adjacent colons are one token.
    if (cursor.takes(":")) colons += 1
    else if (cursor.takes("::")) colons += 2
    else if (bounds[colons] === undefined) bounds[colons] = expression(cursor)
    else break
    if (colons > 2) break
  }
  cursor.expect("]")
  const [key] = bounds
  if (colons > 0) return { _tag: "Slice", at, of, bounds }
  if (key === undefined) cursor.fail("an index is missing", at)
  return { _tag: "Index", at, of, key: key ?? nothing }
}

/** Parses what follows `of(`. */
const application = (cursor: Cursor, of: Node, at: number): Node => {
  const words: Array<Node> = []
  const named: Array<readonly [string, Node]> = []
  while (cursor.token.kind !== "end" && !cursor.sees(")")) {
    if (cursor.token.kind === "name" && cursor.sees("=", 1)) {
      const name = cursor.name()
      cursor.expect("=")
      named.push([name, expression(cursor)])
    } else if (named.length > 0) cursor.fail("an argument without a name follows one with a name")
    else words.push(expression(cursor))
    if (!cursor.takes(",")) break
  }
  cursor.expect(")")
  cursor.distinct(named.map(([name]) => name), at)
  return { _tag: "Apply", at, of, words, named, strict: cursor.takes("tailstrict") }
}

/** Parses what binds strongest: a value, and the calls, indices and objects after it. */
const operand = (cursor: Cursor): Node => {
  let made = primary(cursor)
  for (;;) {
    const { at } = cursor.token
    if (cursor.takes(".")) {
      const { at: where } = cursor.token
      made = { _tag: "Index", at, of: made, key: { _tag: "Literal", at: where, value: cursor.name() } }
    } else if (cursor.takes("[")) made = bracketed(cursor, made, at)
    else if (cursor.takes("(")) made = application(cursor, made, at)
    else if (cursor.takes("{")) {
      made = { _tag: "Binary", at, operator: "+", left: made, right: object(cursor, expression, at) }
    } else return made
  }
}

const binary = (cursor: Cursor, weakest: number): Node => {
  let left = operand(cursor)
  for (;;) {
    const { at, kind, text } = cursor.token
    const found = kind === "symbol" ? strengths.get(text) : undefined
    if (found === undefined || found[1] < weakest) return left
    const [operator, strength] = found
    cursor.advance()
    if (operator === "in" && cursor.sees("super") && !cursor.sees(".", 1) && !cursor.sees("[", 1)) {
      cursor.want("super", at)
      cursor.advance()
      left = { _tag: "InSuper", at, name: left }
    } else left = { _tag: "Binary", at, operator, left, right: binary(cursor, strength + 1) }
  }
}

const expression = (cursor: Cursor): Node => cursor.deeper(() => binary(cursor, 1))

const unbound = (name: string): string =>
  name === "self" || name === "super" || name === "$"
    ? `${name} is only inside of an object`
    : `there is nothing of the name "${name.slice(0, 80)}"`

/**
 * Parses a program of the Jsonnet language (jsonnet.org/ref/spec.html). `known`: the names that are bound from the
 * start.
 */
export const parse = (source: string, known: ReadonlySet<string>): Result.Result<Program, RenderFailed> => {
  if (source.length > longest)
    return Result.fail(new RenderFailed({ detail: `The jsonnet is longer than ${longest} characters` }))
  return Result.flatMap(tokens(source), (words) => {
    const cursor = new Cursor(source, words)
    const root = expression(cursor)
    if (cursor.failure === undefined && cursor.token.kind !== "end") cursor.unexpected("the end")
    if (cursor.failure !== undefined) return Result.fail(cursor.failure)
    const [open] = [...cursor.wanted].filter(([name]) => !known.has(name)).toSorted(([, one], [, other]) => one - other)
    return open === undefined
      ? Result.succeed({ source, root })
      : Result.fail(malformed(source, open[1], unbound(open[0])))
  })
}
