import { isList, type Value } from "#schemas/Json.ts"
import { member } from "#src/content/Own.ts"
import type { Comparison, Expression, Method } from "#src/delivery/conditions/Expression.ts"
import { costOfSearch, pays, type Scan } from "#src/delivery/conditions/Scan.ts"
import type { Schema } from "effect"

/**
 * What a condition may speak of. Inside content also `refs`, the named elements before this one, and `$`, a loop's item
 * and index.
 */
export interface Context {
  readonly data: Schema.JsonObject
  readonly profile: Schema.JsonObject
  readonly refs?: Schema.JsonObject | undefined
  readonly $?: Schema.JsonObject | undefined
}

/** A context, and how much of it may still be searched and compared. */
export interface Situation extends Context {
  readonly scan: Scan
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

/** The characters of a list's texts that are as long as the one that is sought: only these are compared with it. */
const alike = (list: ReadonlyArray<Value>, sought: Value): number =>
  typeof sought === "string"
    ? list.reduce<number>(
      (sum, item) => typeof item === "string" && item.length === sought.length ? sum + item.length : sum,
      0
    )
    : 0

const call = (of: Value, method: Method, argument: Value, scan: Scan): boolean => {
  if (isList(of)) {
    return method === "includes" && argument !== undefined && pays(scan, of.length) &&
      pays(scan, alike(of, argument)) && of.includes(argument)
  }
  if (typeof of !== "string" || !isPrimitive(argument)) return false
  const sought = String(argument)
  return pays(scan, method === "includes" ? costOfSearch(of, sought) : sought.length) && of[method](sought)
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

const comparedLength = (left: Value, right: Value): number => {
  if (typeof left === "string") return typeof right === "string" ? Math.min(left.length, right.length) : left.length
  return typeof right === "string" ? right.length : 0
}

const compare = (by: Comparison, left: Value, right: Value, scan: Scan): boolean => {
  if (!pays(scan, comparedLength(left, right))) return false
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

/**
 * What an expression is worth in a context. What has no value is `undefined`; the caller looks whether `scan` was
 * enough.
 */
export const valueOf = (expression: Expression, situation: Situation): Value => {
  switch (expression._tag) {
    case "Literal":
      return expression.value
    case "Name":
      return root(expression.name, situation)
    case "Member": {
      const key = valueOf(expression.key, situation)
      return isPrimitive(key) ? member(valueOf(expression.of, situation), String(key)) : undefined
    }
    case "Call":
      return call(
        valueOf(expression.of, situation),
        expression.method,
        valueOf(expression.argument, situation),
        situation.scan
      )
    case "Not":
      return !isTrue(valueOf(expression.of, situation))
    case "Minus": {
      const value = valueOf(expression.of, situation)
      return isPrimitive(value) ? -Number(value) : Number.NaN
    }
    case "Compare":
      return compare(
        expression.by,
        valueOf(expression.left, situation),
        valueOf(expression.right, situation),
        situation.scan
      )
    case "All": {
      let value: Value = true
      for (const part of expression.of) if (!isTrue(value = valueOf(part, situation))) return value
      return value
    }
    case "Any": {
      let value: Value = false
      for (const part of expression.of) if (isTrue(value = valueOf(part, situation))) return value
      return value
    }
    case "Choose":
      return valueOf(isTrue(valueOf(expression.test, situation)) ? expression.yes : expression.no, situation)
  }
}
