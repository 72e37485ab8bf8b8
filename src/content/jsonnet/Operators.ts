import * as Text from "#schemas/Text.ts"
import { check, member, namesOf } from "#src/content/jsonnet/Objects.ts"
import type { BinaryOperator, UnaryOperator } from "#src/content/jsonnet/Program.ts"
import { ArrayValue, kindOf, type Machine, named, ObjectValue, type Value } from "#src/content/jsonnet/Value.ts"

/** The number, if JSON can hold it; otherwise fails. */
export const finite = (machine: Machine, value: number, at: number): number | null =>
  Number.isFinite(value) ? value : machine.fail(at, Number.isNaN(value) ? "not a number" : "the number is too large")

/** Deep equality of two values. */
export const equals = (machine: Machine, one: Value, other: Value, at: number): boolean => {
  const kind = kindOf(one)
  if (kind !== kindOf(other)) return false
  if (kind === "function") {
    machine.fail(at, "functions cannot be compared")
    return false
  }
  if (typeof one === "string" && typeof other === "string") {
    return one.length === other.length && machine.look(one.length) && one === other
  }
  if (!(one instanceof ArrayValue || one instanceof ObjectValue)) return one === other
  if (!machine.enter(at)) return false
  const same = one instanceof ArrayValue
    ? other instanceof ArrayValue && equalLists(machine, one, other, at)
    : other instanceof ObjectValue && equalObjects(machine, one, other, at)
  machine.leave()
  return same
}

const equalLists = (machine: Machine, one: ArrayValue, other: ArrayValue, at: number): boolean =>
  one.items.length === other.items.length && one.items.every((item, n) =>
    machine.step() &&
    equals(machine, machine.force(item, at), machine.force(other.items[n] ?? null, at), at)
  )

const equalObjects = (machine: Machine, one: ObjectValue, other: ObjectValue, at: number): boolean => {
  check(machine, one)
  check(machine, other)
  const [names, others] = [namesOf(machine, one), namesOf(machine, other)]
  return names.length === others.length && names.every((name, n) => name === others[n]) &&
    names.every((name) =>
      machine.step() &&
      equals(machine, member(machine, one, name, at) ?? null, member(machine, other, name, at) ?? null, at)
    )
}

/** Compares two numbers, texts or lists of them: negative, 0 or positive. */
export const compare = (machine: Machine, one: Value, other: Value, at: number): number => {
  if (typeof one === "number" && typeof other === "number") return one < other ? -1 : one > other ? 1 : 0
  if (typeof one === "string" && typeof other === "string") {
    return machine.look(Math.min(one.length, other.length)) ? Text.compare(one, other) : 0
  }
  if (!(one instanceof ArrayValue) || !(other instanceof ArrayValue)) {
    machine.fail(at, `${named(one)} and ${named(other)} have no order`)
    return 0
  }
  if (!machine.enter(at)) return 0
  let order = 0
  const [left, right] = [one.items, other.items]
  for (let n = 0; order === 0 && n < Math.min(left.length, right.length); n++) {
    if (!machine.step()) break
    order = compare(machine, machine.force(left[n] ?? null, at), machine.force(right[n] ?? null, at), at)
  }
  machine.leave()
  return order === 0 ? left.length - right.length : order
}

/** `left + right`: a sum, a concatenation, or the left object overridden by the right one. */
export const add = (machine: Machine, left: Value, right: Value, at: number): Value => {
  if (typeof left === "number" && typeof right === "number") return finite(machine, left + right, at)
  if (typeof left === "string" || typeof right === "string") {
    const [before, after] = [machine.text(left, at), machine.text(right, at)]
    return machine.look(before.length + after.length) ? before + after : null
  }
  if (left instanceof ArrayValue && right instanceof ArrayValue) {
    if (!machine.room(left.items.length + right.items.length)) return null
    return new ArrayValue([...left.items, ...right.items])
  }
  if (left instanceof ObjectValue && right instanceof ObjectValue) {
    if (!machine.room(left.layers.length + right.layers.length)) return null
    return new ObjectValue([...left.layers, ...right.layers])
  }
  return machine.fail(at, `${named(left)} and ${named(right)} cannot be added`)
}

const widest = Number.MAX_SAFE_INTEGER

const bits = (machine: Machine, operator: BinaryOperator, left: number, right: number, at: number): number | null => {
  if (Math.abs(left) > widest || Math.abs(right) > widest)
    return machine.fail(at, `${operator} needs numbers up to ${widest}`)
  const [one, other] = [BigInt(Math.trunc(left)), BigInt(Math.trunc(right))]
  switch (operator) {
    case "&":
      return Number(one & other)
    case "^":
      return Number(one ^ other)
    case "|":
      return Number(one | other)
    default: {
      if (other < 0n) return machine.fail(at, "a shift by less than nothing")
      const by = other % 64n
      if (operator === ">>") return Number(one >> by)
      const shifted = one << by
      return BigInt.asIntN(64, shifted) === shifted ? Number(shifted) : machine.fail(at, "the number is too large")
    }
  }
}

const arithmetic = (
  machine: Machine,
  operator: BinaryOperator,
  left: number,
  right: number,
  at: number
): number | null => {
  switch (operator) {
    case "-":
      return finite(machine, left - right, at)
    case "*":
      return finite(machine, left * right, at)
    case "/":
    case "%":
      if (right === 0) return machine.fail(at, "a division by zero")
      return finite(machine, operator === "/" ? left / right : left % right, at)
    default:
      return bits(machine, operator, left, right, at)
  }
}

/** Binary operators that need the values of both sides. `&&`, `||`, and `%` with a text, are elsewhere. */
export const binary = (machine: Machine, operator: BinaryOperator, left: Value, right: Value, at: number): Value => {
  switch (operator) {
    case "+":
      return add(machine, left, right, at)
    case "==":
      return equals(machine, left, right, at)
    case "!=":
      return !equals(machine, left, right, at)
    case "<":
      return compare(machine, left, right, at) < 0
    case ">":
      return compare(machine, left, right, at) > 0
    case "<=":
      return compare(machine, left, right, at) <= 0
    case ">=":
      return compare(machine, left, right, at) >= 0
    default:
      return typeof left === "number" && typeof right === "number"
        ? arithmetic(machine, operator, left, right, at)
        : machine.fail(at, `${operator} is not for ${named(left)} and ${named(right)}`)
  }
}

export const unary = (machine: Machine, operator: UnaryOperator, value: Value, at: number): Value => {
  if (operator === "!" && typeof value === "boolean") return !value
  if (operator !== "!" && typeof value === "number") {
    if (operator === "~")
      return Math.abs(value) > widest
        ? machine.fail(at, "~ needs a smaller number")
        : -Math.trunc(value) - 1
    return operator === "-" ? -value : value
  }
  return machine.fail(at, `${operator} is not for ${named(value)}`)
}
