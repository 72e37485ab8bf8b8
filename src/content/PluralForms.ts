/** Chooses one of a key's plural forms by a number. */
type Form = (count: number) => number

/** One and many, as in Germanic languages: the rule of a file without the header. */
const germanic: Form = (count) => count === 1 ? 0 : 1

type Binary = (left: number, right: number) => number

/** Operators by precedence, loosest first; each level is left-associative, as in C. */
const levels: ReadonlyArray<Readonly<Record<string, Binary>>> = [
  { "||": (a, b) => Number(a !== 0 || b !== 0) },
  { "&&": (a, b) => Number(a !== 0 && b !== 0) },
  { "==": (a, b) => Number(a === b), "!=": (a, b) => Number(a !== b) },
  {
    "<": (a, b) => Number(a < b),
    "<=": (a, b) => Number(a <= b),
    ">": (a, b) => Number(a > b),
    ">=": (a, b) => Number(a >= b)
  },
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "/": (a, b) => b === 0 ? 0 : Math.trunc(a / b), "%": (a, b) => b === 0 ? 0 : a % b }
]

/** Longer expressions are not accepted as a plural rule. */
const longest = 1_000

/** Parses one expression; `undefined` if it does not parse. */
const reader = (tokens: ReadonlyArray<string>) => {
  let at = 0
  const take = (token: string): boolean => {
    if (tokens[at] !== token) return false
    at += 1
    return true
  }

  const ternary = (): Form | undefined => {
    const condition = binary(0)
    if (condition === undefined || !take("?")) return condition
    const whenTrue = ternary()
    if (whenTrue === undefined || !take(":")) return undefined
    const whenFalse = ternary()
    return whenFalse && ((n) => condition(n) === 0 ? whenFalse(n) : whenTrue(n))
  }

  const binary = (level: number): Form | undefined => {
    const operators = levels[level]
    if (operators === undefined) return unary()
    let left = binary(level + 1)
    while (left !== undefined && Object.hasOwn(operators, tokens[at] ?? "")) {
      const operator = operators[tokens[at++] ?? ""]
      const right = binary(level + 1)
      if (operator === undefined || right === undefined) return undefined
      const before = left
      left = (n) => operator(before(n), right(n))
    }
    return left
  }

  const unary = (): Form | undefined => {
    if (take("!")) {
      const inner = unary()
      return inner && ((n) => Number(inner(n) === 0))
    }
    if (take("(")) {
      const inner = ternary()
      return take(")") ? inner : undefined
    }
    const token = tokens[at++] ?? ""
    if (token === "n") return (n) => n
    return /^\d+$/.test(token) ? () => Number(token) : undefined
  }

  const whole = ternary()
  return at === tokens.length ? whole : undefined
}

/**
 * Parses a `Plural-Forms` header, `nplurals=2; plural=(n != 1);` (GNU gettext manual, "Additional functions for plural
 * forms"). Without a valid rule it is one and many.
 */
export const parse = (header: string | undefined): Form => {
  const expression = /plural\s*=\s*([^;]*)/.exec(header?.replace(/nplurals\s*=[^;]*;?/, "") ?? "")?.[1]?.trim() ?? ""
  if (expression === "" || expression.length > longest) return germanic
  const tokens = expression.match(/\d+|&&|\|\||[=!<>]=|[n!<>+\-*/%?:()]/g) ?? []
  if (tokens.join("") !== expression.replaceAll(/\s+/g, "")) return germanic
  const form = reader(tokens) ?? germanic
  return (count) => form(Math.abs(Math.trunc(count)))
}
