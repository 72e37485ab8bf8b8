import type { Cursor, Wanted } from "#src/content/jsonnet/Cursor.ts"
import type { Assertion, Bind, Clause, Member, Node, Parameter, Visibility } from "#src/content/jsonnet/Program.ts"

/** Parses an expression. Passed in by the parser, which itself needs this file. */
export type Reader = (cursor: Cursor) => Node

/** Parses `(a, b=1)` and the body after it: a function whose parameters its defaults and its body can use. */
export const functionOf = (cursor: Cursor, expression: Reader, at: number, body: (cursor: Cursor) => Node): Node => {
  const wanted: Wanted = new Map()
  const made = cursor.into(wanted, () => {
    cursor.expect("(")
    const parameters: Array<Parameter> = []
    while (cursor.token.kind !== "end" && !cursor.sees(")")) {
      const name = cursor.name()
      parameters.push({ name, otherwise: cursor.takes("=") ? expression(cursor) : undefined })
      if (!cursor.takes(",")) break
    }
    cursor.expect(")")
    return { parameters, body: body(cursor) }
  })
  const names = made.parameters.map(({ name }) => name)
  cursor.distinct(names, at)
  cursor.pass(wanted, names)
  return { _tag: "Function", at, ...made }
}

/** Parses `name = expression` or `name(parameters) = expression`. */
export const bind = (cursor: Cursor, expression: Reader): Bind => {
  const { at } = cursor.token
  const name = cursor.name()
  const valued = (): Node => {
    cursor.expect("=")
    return expression(cursor)
  }
  return { name, body: cursor.sees("(") ? functionOf(cursor, expression, at, valued) : valued() }
}

/** Parses what follows `assert`. */
export const assertion = (cursor: Cursor, expression: Reader): Assertion => {
  const { at } = cursor.token
  const condition = expression(cursor)
  return { at, condition, message: cursor.takes(":") ? expression(cursor) : undefined }
}

/**
 * Parses the clauses of a comprehension. `body`: the names that the expression before them uses. Each clause can use
 * the names of those to its left.
 */
export const clauses = (cursor: Cursor, expression: Reader, body: Wanted): ReadonlyArray<Clause> => {
  const found: Array<{ readonly clause: Clause; readonly wanted: Wanted }> = []
  for (;;) {
    const wanted: Wanted = new Map()
    if (cursor.takes("for")) {
      const name = cursor.name()
      cursor.expect("in")
      found.push({ wanted, clause: { _tag: "For", name, of: cursor.into(wanted, () => expression(cursor)) } })
    } else if (cursor.takes("if")) {
      found.push({ wanted, clause: { _tag: "When", condition: cursor.into(wanted, () => expression(cursor)) } })
    } else break
  }
  const open = new Map(body)
  for (const { clause, wanted } of found.toReversed()) {
    if (clause._tag === "For") open.delete(clause.name)
    for (const [name, at] of wanted) if (!open.has(name)) open.set(name, at)
  }
  cursor.pass(open, [])
  return found.map(({ clause }) => clause)
}

const colons: ReadonlyMap<string, readonly [adds: boolean, Visibility]> = new Map([
  [":", [false, "inherited"]],
  ["::", [false, "hidden"]],
  [":::", [false, "forced"]],
  ["+:", [true, "inherited"]],
  ["+::", [true, "hidden"]],
  ["+:::", [true, "forced"]]
])

const nameOf = (cursor: Cursor, expression: Reader, outside: Wanted): Node | undefined => {
  const { at, kind, text } = cursor.token
  if (kind === "name" || kind === "string") {
    cursor.advance()
    return { _tag: "Literal", at, value: text }
  }
  if (!cursor.takes("[")) return undefined
  // The name of a field is evaluated outside its object.
  cursor.objects--
  const made = cursor.into(outside, () => expression(cursor))
  cursor.objects++
  cursor.expect("]")
  return made
}

const member = (cursor: Cursor, expression: Reader, outside: Wanted, inside: Wanted): Member | undefined => {
  const { at, kind } = cursor.token
  const name = nameOf(cursor, expression, outside)
  if (name === undefined) {
    cursor.unexpected("a field")
    return undefined
  }
  const rest = cursor.into(inside, () => {
    let colon: readonly [boolean, Visibility] | undefined
    const body = (): Node => {
      colon = cursor.token.kind === "symbol" ? colons.get(cursor.token.text) : undefined
      if (colon === undefined) cursor.unexpected("\":\"")
      else cursor.advance()
      return expression(cursor)
    }
    const made = cursor.sees("(") ? functionOf(cursor, expression, at, body) : body()
    return { body: made, adds: colon?.[0] ?? false, visibility: colon?.[1] ?? "inherited" }
  })
  return { name, isComputed: kind === "symbol", at, ...rest }
}

/** Parses what follows `{`: an object, or an object comprehension. */
export const object = (cursor: Cursor, expression: Reader, at: number): Node => {
  const [outside, inside]: [Wanted, Wanted] = [new Map(), new Map()]
  const members: Array<Member> = []
  const binds: Array<Bind> = []
  const asserts: Array<Assertion> = []
  const isRoot = cursor.objects++ === 0
  while (cursor.token.kind !== "end" && !cursor.sees("}") && !cursor.sees("for")) {
    if (cursor.takes("local")) binds.push(cursor.into(inside, () => bind(cursor, expression)))
    else if (cursor.takes("assert")) asserts.push(cursor.into(inside, () => assertion(cursor, expression)))
    else {
      const found = member(cursor, expression, outside, inside)
      if (found !== undefined) members.push(found)
    }
    if (!cursor.takes(",")) break
  }
  cursor.objects--
  const names = binds.map(({ name }) => name)
  cursor.distinct(names, at)
  cursor.distinct(
    members.flatMap(({ isComputed, name }) =>
      name._tag === "Literal" && typeof name.value === "string" && !isComputed ? [name.value] : []
    ),
    at
  )
  for (const name of [...names, "self", "super", "$"]) inside.delete(name)
  for (const [name, where] of inside) if (!outside.has(name)) outside.set(name, where)
  const made = { _tag: "Object" as const, at, members, binds, asserts, isRoot }
  if (!cursor.sees("for")) {
    cursor.expect("}")
    cursor.pass(outside, [])
    return { ...made, clauses: [] }
  }
  const [only, ...more] = members
  if (
    only === undefined || more.length > 0 || asserts.length > 0 || only.visibility !== "inherited" || !only.isComputed
  )
    cursor.fail("an object comprehension has one field, [name]: value")
  const found = clauses(cursor, expression, outside)
  cursor.expect("}")
  return { ...made, clauses: found }
}
