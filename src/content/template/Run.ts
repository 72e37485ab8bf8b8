import type { Budget } from "#src/content/Budget.ts"
import { isList, isObject, member, textOf, type Value } from "#src/content/Own.ts"
import type { Block, Operand, Program } from "#src/content/template/Program.ts"

/** Where a path begins when no loop or `with` is around it. */
export interface Root {
  /** What `this` is at the top. */
  readonly self: Value
  readonly named: (name: string) => Value
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
  /** Undefined at the top. */
  readonly around: Frame | undefined
  readonly loop: Loop | undefined
  readonly names: Names | undefined
}

/** Nothing to see for `if`, as Handlebars has it: zero is decided by each block. */
const isEmpty = (value: Value): boolean => (!value && value !== 0) || (isList(value) && value.length === 0)

const down = (from: Value, parts: ReadonlyArray<string>, first: number): Value => {
  let value = from
  for (let at = first; at < parts.length; at++) value = member(value, parts[at] ?? "")
  return value
}

const isNamed = (names: Names | undefined, name: string): Names | undefined => {
  for (let known = names; known !== undefined; known = known.around) if (known.name === name) return known
  return undefined
}

/** Runs a program and answers its output, or what there was of it when the budget ended. `shown` writes a value of the data. */
export const run = (program: Program, root: Root, budget: Budget, shown: (text: string) => string): string => {
  let output = ""

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
    return from.around === undefined ? down(root.named(first), parts, 1) : down(from.self, parts, 0)
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
        return member(valueOf(operand.of, frame), textOf(valueOf(operand.key, frame)))
    }
  }

  const inside = (frame: Frame, self: Value): Frame => self === frame.self ? frame : { ...frame, self, around: frame }

  const named = (names: Names | undefined, block: Block, values: ReadonlyArray<Value>): Names | undefined =>
    block.names.slice(0, values.length).reduce((around, name, at) => ({ name, value: values[at], around }), names)

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

  const blockOf = (block: Block, frame: Frame): void => {
    const value = valueOf(block.of, frame)
    switch (block.kind) {
      case "if":
        return walk(value === 0 || isEmpty(value) ? block.otherwise : block.body, frame)
      case "unless":
        return walk(value === 0 || isEmpty(value) ? block.body : block.otherwise, frame)
      case "each":
        return each(block, value, frame)
      case "with":
        return isEmpty(value) ? walk(block.otherwise, frame) : enter(block, value, frame)
      case "section":
        return section(block, value, frame)
    }
  }

  const walk = (nodes: Program, frame: Frame): void => {
    for (const node of nodes) {
      if (!budget.step()) return
      if (node._tag === "Block") {
        blockOf(node, frame)
        continue
      }
      const text = node._tag === "Text" ? node.text : textOf(valueOf(node.of, frame))
      if (!budget.write(text.length)) return
      output += node._tag === "Text" ? text : shown(text)
    }
  }

  walk(program, { self: root.self, around: undefined, loop: undefined, names: undefined })
  return output
}
