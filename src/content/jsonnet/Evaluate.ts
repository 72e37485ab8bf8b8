import { applied } from "#src/content/jsonnet/Calls.ts"
import { arrayOf, objectFrom } from "#src/content/jsonnet/Composites.ts"
import { format } from "#src/content/jsonnet/Format.ts"
import { below, check, has, member } from "#src/content/jsonnet/Objects.ts"
import { binary, unary } from "#src/content/jsonnet/Operators.ts"
import type { Assertion, Bind, Node } from "#src/content/jsonnet/Program.ts"
import { slice } from "#src/content/jsonnet/Slice.ts"
import { lengthOf, part } from "#src/content/jsonnet/Text.ts"
import {
  ArrayValue,
  Closure,
  Env,
  type Machine,
  named,
  ObjectValue,
  type Slot,
  type Value
} from "#src/content/jsonnet/Value.ts"

/** The value bound to a name. The parser has made sure that there is one. */
const find = (machine: Machine, env: Env, name: string): Slot => {
  let hops = 1
  for (let at: Env | undefined = env; at !== undefined; at = at.around, hops++) {
    const slot = at.names.get(name)
    if (slot !== undefined) return machine.room(hops) ? slot : null
  }
  return null
}

const bound = (machine: Machine, binds: ReadonlyArray<Bind>, around: Env): Env => {
  const names = new Map<string, Slot>()
  const env = new Env(around, names, around)
  for (const { body, name } of binds) names.set(name, machine.later(body, env))
  machine.step(binds.length)
  return env
}

const missing = (of: Node, name: string): string =>
  of._tag === "Name" && of.name === "std"
    ? `std.${name.slice(0, 80)} is not there`
    : `there is no field "${name.slice(0, 80)}"`

/** Indexes a value: an object's field, an array's item, a text's character. */
const indexed = (machine: Machine, node: Node & { readonly _tag: "Index" }, env: Env): Value => {
  const { at } = node
  const of = machine.evaluate(node.of, env)
  const key = machine.evaluate(node.key, env)
  if (of instanceof ObjectValue) {
    if (typeof key !== "string") return machine.fail(at, `a field has a text for a name, and not ${named(key)}`)
    check(machine, of)
    const found = member(machine, of, key, at)
    return found === undefined ? machine.fail(at, missing(node.of, key)) : found
  }
  if (!(of instanceof ArrayValue) && typeof of !== "string") return machine.fail(at, `${named(of)} has nothing inside`)
  if (typeof key !== "number") return machine.fail(at, `an index is a number, and not ${named(key)}`)
  const length = typeof of === "string" ? machine.room(of.length) ? lengthOf(of) : 0 : of.items.length
  if (!Number.isInteger(key) || key < 0 || key >= length)
    return machine.fail(at, `there is nothing at ${key} of ${length}`)
  return typeof of === "string" ? part(of, key, key + 1) : machine.force(of.items[key] ?? null, at)
}

const isTrue = (machine: Machine, value: Value, at: number, what: string): boolean => {
  if (typeof value !== "boolean") machine.fail(at, `${what} is ${named(value)}, neither true nor false`)
  return value === true
}

const holds = (machine: Machine, condition: Node, env: Env, what: string): boolean =>
  isTrue(machine, machine.evaluate(condition, env), condition.at, what)

const asserted = (machine: Machine, { at, condition, message }: Assertion, env: Env): boolean => {
  if (holds(machine, condition, env, "an assertion")) return true
  machine.fail(
    at,
    message === undefined ? "an assertion does not hold" : machine.text(machine.evaluate(message, env), at)
  )
  return false
}

const formatted = (machine: Machine, pattern: string, values: Value, at: number): Value => {
  if (!machine.enter(at)) return null
  const text = format(machine, pattern, values, at)
  machine.leave()
  return text
}

type Binary = Node & { readonly _tag: "Binary" }

/** One operator, whose left side is known. */
const combined = (machine: Machine, node: Binary, left: Value, env: Env): Value => {
  const { at, operator } = node
  if (operator === "&&" || operator === "||") {
    const isHeld = isTrue(machine, left, node.left.at, `the left side of ${operator}`)
    return isHeld === (operator === "||")
      ? isHeld
      : holds(machine, node.right, env, `the right side of ${operator}`)
  }
  const right = machine.evaluate(node.right, env)
  if (operator === "%" && typeof left === "string") return formatted(machine, left, right, at)
  if (operator !== "in") return binary(machine, operator, left, right, at)
  return right instanceof ObjectValue && typeof left === "string"
    ? has(machine, right, left)
    : machine.fail(at, `in is not for ${named(left)} and ${named(right)}`)
}

/**
 * An operator, and all those of its left side in a loop: a sum is nested once for each of its terms, and may have more
 * of them than anything may be deep.
 */
const operated = (machine: Machine, node: Binary, env: Env): Value => {
  const outer: Array<Binary> = []
  let inner = node
  for (; inner.left._tag === "Binary" && machine.step(); inner = inner.left) outer.push(inner)
  let value = combined(machine, inner, machine.evaluate(inner.left, env), env)
  for (let next = outer.pop(); next !== undefined; next = outer.pop()) value = combined(machine, next, value, env)
  return value
}

/** A field of `super`, or whether `super` has it. */
const inherited = (machine: Machine, node: Node & { readonly _tag: "Super" | "InSuper" }, env: Env): Value => {
  const name = machine.evaluate(node.name, env)
  if (typeof name !== "string") return machine.fail(node.at, `a field has a text for a name, and not ${named(name)}`)
  if (env.self === undefined) return null
  if (node._tag === "InSuper") return has(machine, env.self, name, env.below)
  const found = below(machine, env.self, name, env.below, node.at)
  return found === undefined ? machine.fail(node.at, `there is no field "${name.slice(0, 80)}" in super`) : found
}

/** Evaluates expressions without a tail position. */
const simple = (machine: Machine, node: Node, env: Env): Value => {
  switch (node._tag) {
    case "Literal":
      return node.value
    case "Name":
      return machine.force(find(machine, env, node.name), node.at)
    case "Self":
      return env.self ?? null
    case "Root":
      return env.root ?? null
    case "Array":
      return machine.step(node.items.length >> 2) && machine.room(node.items.length)
        ? new ArrayValue(node.items.map((item) => machine.later(item, env)))
        : null
    case "Comprehension":
      return arrayOf(machine, node, env)
    case "Object":
      return objectFrom(machine, node, env)
    case "Function":
      return new Closure(node.parameters, node.body, env)
    case "Index":
      return indexed(machine, node, env)
    case "Slice": {
      const of = machine.evaluate(node.of, env)
      const [from = null, to = null, by = null] = node.bounds.map((bound) =>
        bound === undefined ? null : machine.evaluate(bound, env)
      )
      return slice(machine, of, from, to, by, node.at)
    }
    case "Unary":
      return unary(machine, node.operator, machine.evaluate(node.of, env), node.at)
    case "Binary":
      return operated(machine, node, env)
    case "Super":
    case "InSuper":
      return inherited(machine, node, env)
    case "Error":
      return machine.fail(node.at, machine.text(machine.evaluate(node.message, env), node.at).slice(0, 1_000))
    default:
      return null
  }
}

/**
 * Evaluates an expression. Tail positions are evaluated in a loop instead of recursively, so that tail recursion has no
 * depth limit.
 */
export const evaluate = (machine: Machine, first: Node, around: Env): Value => {
  let [node, env] = [first, around]
  while (machine.step()) {
    switch (node._tag) {
      case "Local":
        env = bound(machine, node.binds, env)
        node = node.body
        break
      case "Assert":
        if (!asserted(machine, node.assertion, env)) return null
        node = node.body
        break
      case "If": {
        const next: Node | undefined = holds(machine, node.condition, env, "a condition") ? node.body : node.otherwise
        if (next === undefined) return null
        node = next
        break
      }
      case "Apply": {
        const next = applied(machine, node, env)
        if (!("env" in next)) return next.value
        env = next.env
        node = next.body
        break
      }
      default:
        return simple(machine, node, env)
    }
  }
  return null
}
