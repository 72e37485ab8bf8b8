import { isList, member, type Value } from "#src/content/Own.ts"
import type { Comparison, Expression, Method } from "#src/delivery/conditions/Expression.ts"
import type { Schema } from "effect"

/** What a condition may speak of. Inside content there are also `refs`, the named elements before this one, and `$`, the loop's item and index. */
export interface Context {
  readonly data: Schema.JsonObject
  readonly profile: Schema.JsonObject
  readonly refs?: Schema.JsonObject | undefined
  readonly $?: Schema.JsonObject | undefined
}

/** JavaScript's truth. */
export const isTrue = (value: Value): boolean => Boolean(value)

type Primitive = string | number | boolean | null | undefined

const isPrimitive = (value: Value): value is Primitive => typeof value !== "object" || value === null

const root = (name: string, { $, data, profile, refs }: Context): Value => {
  switch (name) {
    case "data":
      return data
    case "profile":
      return profile
    case "refs":
      return refs
    case "$":
      return $
    default:
      return member(data, name)
  }
}

const call = (of: Value, method: Method, argument: Value): boolean => {
  if (isList(of)) return method === "includes" && argument !== undefined && of.includes(argument)
  return typeof of === "string" && isPrimitive(argument) && of[method](String(argument))
}

/** `==` of two primitives. Objects and lists equal only themselves: their own `valueOf` is data, never asked. */
const looselyEqual = (left: Value, right: Value): boolean => {
  if (left === undefined || left === null) return right === undefined || right === null
  if (right === undefined || right === null) return false
  if (typeof left === typeof right || !isPrimitive(left) || !isPrimitive(right)) return left === right
  return Number(left) === Number(right)
}

const isOrdered = (by: "<" | "<=" | ">" | ">=", left: Value, right: Value): boolean => {
  if (!isPrimitive(left) || !isPrimitive(right)) return false
  const [a, b] = typeof left === "string" && typeof right === "string" ? [left, right] : [Number(left), Number(right)]
  switch (by) {
    case "<":
      return a < b
    case "<=":
      return a <= b
    case ">":
      return a > b
    case ">=":
      return a >= b
  }
}

const compare = (by: Comparison, left: Value, right: Value): boolean => {
  switch (by) {
    case "===":
      return left === right
    case "!==":
      return left !== right
    case "==":
      return looselyEqual(left, right)
    case "!=":
      return !looselyEqual(left, right)
    default:
      return isOrdered(by, left, right)
  }
}

/** What an expression is worth in a context. Never fails: what has no value is `undefined`. */
export const valueOf = (expression: Expression, context: Context): Value => {
  switch (expression._tag) {
    case "Literal":
      return expression.value
    case "Name":
      return root(expression.name, context)
    case "Member": {
      const key = valueOf(expression.key, context)
      return isPrimitive(key) ? member(valueOf(expression.of, context), String(key)) : undefined
    }
    case "Call":
      return call(valueOf(expression.of, context), expression.method, valueOf(expression.argument, context))
    case "Not":
      return !isTrue(valueOf(expression.of, context))
    case "Minus": {
      const value = valueOf(expression.of, context)
      return isPrimitive(value) ? -Number(value) : Number.NaN
    }
    case "Compare":
      return compare(expression.by, valueOf(expression.left, context), valueOf(expression.right, context))
    case "All": {
      let value: Value = true
      for (const part of expression.of) if (!isTrue(value = valueOf(part, context))) return value
      return value
    }
    case "Any": {
      let value: Value = false
      for (const part of expression.of) if (isTrue(value = valueOf(part, context))) return value
      return value
    }
    case "Choose":
      return valueOf(isTrue(valueOf(expression.test, context)) ? expression.yes : expression.no, context)
  }
}
