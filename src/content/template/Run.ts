import { isList, isObject, type Value } from "#schemas/Json.ts"
import type { Budget } from "#src/content/Budget.ts"
import { keysOf, member, textOf } from "#src/content/Own.ts"
import { isSomething, type Translate } from "#src/content/template/Helper.ts"
import type { Block, BlockKind, Operand, Partial, Program } from "#src/content/template/Program.ts"
import { replacing, sought } from "#src/content/template/Replacing.ts"
import type { Schema } from "effect"

/** Where paths begin outside of any loop or `with`. */
export interface Root {
  /** The value of `this` at the top level. */
  readonly self: Value
  readonly named: (name: string) => Value
  /** Names a value for this template and those after it; `false` if the name is not available. */
  readonly set: (name: string, value: Value) => boolean
  readonly translate: Translate
  readonly profile: Schema.JsonObject
  /** The text of the brand that a partial names. */
  readonly snippet: (name: string) => string | undefined
  /** That text as a program. If it is malformed, that fails the budget; `of` says whose text it is. */
  readonly parse: (text: string, budget: Budget, of: string) => Program | undefined
  /** Whether an output fails the budget if there is nothing at its path. `null` counts as something. */
  readonly throwing: boolean
}

/** How a template's own text and the text of values become output. Both are passed in their order. */
export interface Writer {
  readonly text: (text: string) => string
  readonly value: (text: string) => string
}

interface Loop {
  readonly marks: ReadonlyMap<string, Value>
  readonly around: Loop | undefined
}

interface Names {
  readonly name: string
  readonly value: Value
  readonly around: Names | undefined
}

interface Frame {
  readonly self: Value
  /** `undefined` at the top level. */
  readonly around: Frame | undefined
  readonly loop: Loop | undefined
  readonly names: Names | undefined
}

const down = (from: Value, parts: ReadonlyArray<string>, first: number): Value => {
  let value = from
  for (let at = first; at < parts.length; at++) value = member(value, parts[at] ?? "")
  return value
}

const isNamed = (names: Names | undefined, name: string): Names | undefined => {
  for (let known = names; known !== undefined; known = known.around) if (known.name === name) return known
  return undefined
}

/** White space, and the edges that a writer puts around values, which count as white space. */
const blank = /[\s\uFDD9\uFDDB]/

const trimmed = (text: string, kind: BlockKind): string => {
  let from = 0
  let to = text.length
  if (kind !== "trim-right") { while (from < to && blank.test(text.charAt(from))) from++ }
  if (kind !== "trim-left") { while (to > from && blank.test(text.charAt(to - 1))) to-- }
  return text.slice(from, to)
}

/** How deep snippets are within each other, so that one that names itself ends. */
const deepest = 8

/** Runs a program and answers its output, cut short if the budget fails. */
export const run = (program: Program, root: Root, budget: Budget, writer: Writer): string => {
  let output = ""
  let to = writer
  let snippets = 0
  const look = (characters: number): boolean => budget.look(characters)

  const fromLoop = (frame: Frame, up: number, parts: ReadonlyArray<string>): Value => {
    const [first = ""] = parts
    if (first === "root") return parts.length === 1 ? root.self : down(root.named(parts[1] ?? ""), parts, 2)
    let loop = frame.loop
    for (let left = up; left > 0; left--) loop = loop?.around
    return down(loop?.marks.get(first), parts, 1)
  }

  const fromPath = (frame: Frame, up: number, own: boolean, parts: ReadonlyArray<string>): Value => {
    const [first] = parts
    const known = up > 0 || own || first === undefined ? undefined : isNamed(frame.names, first)
    if (known !== undefined) return down(known.value, parts, 1)
    let from: Frame | undefined = frame
    for (let left = up; left > 0; left--) from = from?.around
    if (from === undefined || first === undefined) return from?.self
    // `$` is the root wherever it stands (api.md 2.6): data of that name is `this.$`.
    const isRooted = from.around === undefined || (first === "$" && up === 0 && !own)
    return isRooted ? down(root.named(first), parts, 1) : down(from.self, parts, 0)
  }

  /** A value as a key. Charged by its length, since a list of any length can be one. */
  const keyOf = (value: Value): string => {
    const key = textOf(value, look)
    return budget.look(key.length) ? key : ""
  }

  const valueOf = (operand: Operand, frame: Frame): Value => {
    switch (operand._tag) {
      case "Literal":
        return operand.value
      case "Path":
        return fromPath(frame, operand.up, operand.own, operand.parts)
      case "Loop":
        return fromLoop(frame, operand.up, operand.parts)
      case "Lookup":
        return member(valueOf(operand.of, frame), keyOf(valueOf(operand.key, frame)))
      case "Call":
        return call(operand, frame)
    }
  }

  const missing = (path: string): void => {
    if (root.throwing) budget.fail(`The variable "${path.slice(0, 80)}" was not found`)
  }

  const call = ({ helper, named, words }: Operand & { readonly _tag: "Call" }, frame: Frame): Value => {
    if (!budget.step(1 + words.length + named.length)) return undefined
    const made = helper(
      words.map((word) => valueOf(word, frame)),
      new Map(named.map(([name, of]) => [name, valueOf(of, frame)])),
      {
        budget,
        at: (path) => {
          const [first = "", ...rest] = budget.look(path.length) ? keysOf(path) : []
          const near = frame.around === undefined || first === "$" ? undefined : member(frame.self, first)
          return down(near === undefined ? root.named(first) : near, rest, 0)
        },
        translate: root.translate,
        profile: root.profile,
        missing,
        set: (name, value) => {
          if (!root.set(name, value)) budget.fail(`"${name.slice(0, 80)}" is not a name that a template may set`)
        }
      }
    )
    // A helper's result is charged like output: otherwise a few helpers could double a text without end.
    return typeof made === "string" && !budget.write(made.length) ? undefined : made
  }

  const inside = (frame: Frame, self: Value): Frame => self === frame.self ? frame : { ...frame, self, around: frame }

  const named = (names: Names | undefined, block: Block, values: ReadonlyArray<Value>): Names | undefined =>
    block.names.reduce((around, name, at) => ({ name, value: values[at], around }), names)

  const each = (block: Block, list: Value, frame: Frame): void => {
    const keys = isList(list) ? undefined : isObject(list) ? Object.keys(list) : []
    const count = isList(list) ? list.length : keys?.length ?? 0
    if (count === 0) return walk(block.otherwise, frame)
    for (let index = 0; index < count; index++) {
      if (!budget.turn()) return
      const key = keys?.[index] ?? index
      const value = member(list, String(key))
      const marks = new Map<string, Value>([["index", index], ["key", key], ["first", index === 0], [
        "last",
        index === count - 1
      ]])
      const loop = { marks, around: frame.loop }
      walk(block.body, { ...inside(frame, value), loop, names: named(frame.names, block, [value, key]) })
    }
  }

  const enter = (block: Block, value: Value, frame: Frame): void =>
    walk(block.body, { ...inside(frame, value), names: named(frame.names, block, [value]) })

  const section = (block: Block, value: Value, frame: Frame): void => {
    if (value === true) return walk(block.body, frame)
    if (value === false || value === undefined || value === null) return walk(block.otherwise, frame)
    return isList(value) ? each(block, value, frame) : enter(block, value, frame)
  }

  const trim = (block: Block, frame: Frame): void => {
    const before = output
    output = ""
    walk(block.body, frame)
    output = before + trimmed(output, block.kind)
  }

  const replace = (block: Block, frame: Frame): void => {
    const search = sought(keyOf(valueOf(block.of, frame)))
    const text = block.by === undefined ? "" : keyOf(valueOf(block.by, frame))
    if (search === "") return budget.fail("replace-all: there is nothing to replace")
    const before = to
    to = replacing(before, search, { text, isOwn: block.by?._tag === "Literal" }, budget)
    walk(block.body, frame)
    to = before
  }

  const partial = ({ name, named: own, of }: Partial, frame: Frame): void => {
    if (snippets === deepest)
      return budget.fail(`Snippets are nested more than ${deepest} deep: "${name.slice(0, 80)}"`)
    const text = root.snippet(name)
    if (text === undefined) return budget.fail(`partial: "${name.slice(0, 80)}" is not a snippet of the brand`)
    const program = root.parse(text, budget, `The snippet "${name.slice(0, 80)}": `)
    if (program === undefined) return
    const names = own.reduce<Names | undefined>(
      (around, [key, value]) => ({ name: key, value: valueOf(value, frame), around }),
      frame.names
    )
    snippets++
    walk(program, { ...inside(frame, of === undefined ? frame.self : valueOf(of, frame)), names })
    snippets--
  }

  const blockOf = (block: Block, frame: Frame): void => {
    const value = valueOf(block.of, frame)
    switch (block.kind) {
      case "if":
        return walk(isSomething(value) ? block.body : block.otherwise, frame)
      case "zero":
        return walk(value === 0 || isSomething(value) ? block.body : block.otherwise, frame)
      case "unless-zero":
        return walk(value === 0 || isSomething(value) ? block.otherwise : block.body, frame)
      case "unless":
        return walk(isSomething(value) ? block.otherwise : block.body, frame)
      case "each":
        return each(block, value, frame)
      case "with":
        return value === 0 || isSomething(value) ? enter(block, value, frame) : walk(block.otherwise, frame)
      case "section":
        return section(block, value, frame)
      case "trim":
      case "trim-left":
      case "trim-right":
        return trim(block, frame)
      case "replace":
        return replace(block, frame)
    }
  }

  const written = (of: Operand, frame: Frame): string => {
    const value = valueOf(of, frame)
    if (value === undefined && of._tag === "Path") missing(of.parts.join("."))
    return textOf(value, look)
  }

  const walk = (nodes: Program, frame: Frame): void => {
    for (const node of nodes) {
      if (!budget.step()) return
      if (node._tag === "Block") {
        blockOf(node, frame)
        continue
      }
      if (node._tag === "Partial") {
        partial(node, frame)
        continue
      }
      const text = node._tag === "Text" ? node.text : written(node.of, frame)
      if (!budget.write(text.length)) return
      output += node._tag === "Text" ? to.text(text) : to.value(text)
    }
  }

  walk(program, { self: root.self, around: undefined, loop: undefined, names: undefined })
  return output
}
