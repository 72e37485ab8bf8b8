import type { Operand } from "#src/content/template/Program.ts"

/** A row of operands, the first of which may name a helper or block, and the `key=operand` pairs after them. */
export interface Row {
  readonly words: ReadonlyArray<Operand | Parens>
  readonly named: ReadonlyArray<readonly [string, Operand | Parens]>
}

/** The content of a tag, and the names after `as`. */
export interface Said extends Row {
  readonly names: ReadonlyArray<string>
}

/** A helper in parentheses and its arguments. */
export interface Parens extends Row {
  readonly _tag: "Parens"
}

/** The deepest nesting of parentheses, and the longest path. */
const deepest = 32

const constants: ReadonlyMap<string, boolean | null | undefined> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
  ["undefined", undefined]
])

const space = /\s*/y
const beforeNames = /as\s+\|/y
const string = /"((?:\\["]|[^"])*)"|'((?:\\[']|[^'])*)'/y
const literal = /(?:true|false|null|undefined|-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+))(?=[\s)]|$)/y
const key = /([^\s!"#%-,./;->@[-^`{-~]+)\s*=\s*/y
const step = /\.\.|\.|\[(?:\\\]|[^\]])*\]|[^\s!"#%-,./;->@[-^`{-~]+(?=[\s/.)=|]|$)/y

/** The key that a step names. In brackets a backslash keeps a bracket or another, also the last bracket: `[a\]` is `a`. */
const keyOf = (word: string): string => word.startsWith("[") ? word.replace(/\\([\\\]])/g, "$1").slice(1, -1) : word

/** Parses the inside of a tag; `undefined` if it is malformed. */
export const read = (inside: string): Said | undefined => {
  let at = 0

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(inside)
    if (found !== null) at += found[0].length
    return found
  }

  const follows = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    return pattern.test(inside)
  }

  const path = (): Operand | undefined => {
    const data = inside[at] === "@"
    if (data) at++
    const parts: Array<string> = []
    let up = 0
    let own = false
    for (let steps = 0; steps < deepest; steps++) {
      const found = take(step)
      if (found === null) return undefined
      const [word] = found
      if (word === ".." || word === "." || word === "this") {
        if (parts.length > 0) return undefined
        if (word === "..") up++
        else own = true
      } else {
        parts.push(keyOf(word))
      }
      if (inside[at] !== "." && inside[at] !== "/")
        return data
          ? { _tag: "Loop", up, parts }
          : { _tag: "Path", up, own, parts }
      at++
    }
    return undefined
  }

  const operand = (depth: number): Operand | Parens | undefined => {
    if (inside[at] === "(") {
      at++
      const found = row(depth + 1)
      if (found === undefined || inside[at] !== ")") return undefined
      at++
      return { _tag: "Parens", ...found }
    }
    const quoted = take(string)
    if (quoted !== null) {
      const [, double, single = ""] = quoted
      return { _tag: "Literal", value: double?.replaceAll("\\\"", "\"") ?? single.replaceAll("\\'", "'") }
    }
    const word = take(literal)?.[0]
    if (word === undefined) return path()
    return { _tag: "Literal", value: constants.has(word) ? constants.get(word) : Number(word) }
  }

  const row = (depth: number): Row | undefined => {
    if (depth > deepest) return undefined
    const words: Array<Operand | Parens> = []
    const named: Array<readonly [string, Operand | Parens]> = []
    for (;;) {
      take(space)
      if (at === inside.length || inside[at] === ")" || follows(beforeNames)) return { words, named }
      const name = words.length === 0 ? undefined : take(key)?.[1]
      if (name === undefined && named.length > 0) return undefined
      const word = operand(depth)
      if (word === undefined || (at < inside.length && !/[\s)]/.test(inside.charAt(at)))) return undefined
      if (name === undefined) words.push(word)
      else named.push([name, word])
    }
  }

  /** The names between the bars, one at least; a literal is none. */
  const names = (): ReadonlyArray<string> | undefined => {
    const found: Array<string> = []
    for (;;) {
      take(space)
      if (inside[at] === "|") break
      const [name] = follows(literal) ? [] : take(step) ?? []
      // A point is a name alone, and else a part of a path.
      if (name === undefined || (name === "." && !/[\s|]/.test(inside.charAt(at)))) return undefined
      found.push(name)
    }
    at++
    return found.length === 0 ? undefined : found
  }

  const found = row(0)
  if (found === undefined || found.words.length === 0) return undefined
  const said = take(beforeNames) === null ? [] : names()
  take(space)
  return said === undefined || at < inside.length ? undefined : { ...found, names: said }
}
