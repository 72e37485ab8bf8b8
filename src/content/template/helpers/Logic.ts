import type { Value } from "#schemas/Json.ts"
import { nestsDeeper } from "#src/content/Nesting.ts"
import { textOf } from "#src/content/Own.ts"
import { type Helper, isSomething, type Surroundings, text } from "#src/content/template/Helper.ts"
import * as Conditions from "#src/delivery/Conditions.ts"
import { Result, Schema } from "effect"

const comparisons = ["==", "===", "!=", "!==", ">", ">=", "<", "<="]

/** The operators of `filter`, as conditions on `data.l` and `data.r`. */
const filters: ReadonlyMap<string, string> = new Map([
  ["EQUALS", "data.l == data.r"],
  ["NOT_EQUALS", "data.l != data.r"],
  ["CONTAINS", "data.l.includes(data.r)"],
  ["NOT_CONTAINS", "!data.l.includes(data.r)"],
  ["STARTS_WITH", "data.l.startsWith(data.r)"],
  ["ENDS_WITH", "data.l.endsWith(data.r)"],
  ["GREATER_THAN", "data.l > data.r"],
  ["GREATER_THAN_EQUALS", "data.l >= data.r"],
  ["GREATER_THAN_OR_EQUALS", "data.l >= data.r"],
  ["LESS_THAN", "data.l < data.r"],
  ["LESS_THAN_EQUALS", "data.l <= data.r"],
  ["LESS_THAN_OR_EQUALS", "data.l <= data.r"]
])

const isHeld = (expression: string, l: Value, r: Value, { budget }: Surroundings): boolean => {
  // A template can only write the text "true" where the data has the boolean.
  const left = typeof l === "boolean" && typeof r === "string" ? textOf(l) : l ?? null
  const right = typeof r === "boolean" && typeof l === "string" ? textOf(r) : r ?? null
  const held = Conditions.evaluate(expression, { data: { l: left, r: right }, profile: {} }, budget.scan)
  if (Result.isSuccess(held)) return held.success
  budget.fail(held.failure.detail)
  return false
}

const condition: Helper = ([left, sign, right], _, around) => {
  const by = textOf(sign)
  if (comparisons.includes(by)) return isHeld(`data.l ${by} data.r`, left, right, around)
  around.budget.fail(`condition: "${by.slice(0, 80)}" is not one of ${comparisons.join(" ")}`)
  return undefined
}

const conditional: Helper = (words, named, around) => {
  const by = text(named.get("operator") ?? named.get("logicalOperator"), around).toLowerCase()
  return by === "or" ? words.some(isSomething) : words.every(isSomething)
}

/** `filter "profile" "email" "CONTAINS" "@x.io"`: a source, a path in it, an operator, and a value. */
const filter: Helper = ([source, property, operator, value], _, around) => {
  const of = around.at(`${text(source, around)}.${text(property, around)}`)
  const by = textOf(operator)
  if (by === "IS_EMPTY") return !isSomething(of)
  if (by === "NOT_EMPTY" || by === "IS_NOT_EMPTY") return isSomething(of)
  const expression = filters.get(by)
  if (expression !== undefined) return isHeld(expression, of, value, around)
  around.budget.fail(`filter: "${by.slice(0, 80)}" is not an operator`)
  return undefined
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

/** How deep a parsed text may be nested. */
const deepest = 64

const jsonParse: Helper = ([source], _, around) => {
  const json = text(source, around)
  // Each value of a JSON text costs time, and its nesting is the depth of the parser's stack.
  if (!around.budget.step(Math.ceil(json.length / 8))) return undefined
  const parsed = nestsDeeper(json, deepest) ? undefined : decode(json)
  if (parsed !== undefined && Result.isSuccess(parsed)) return parsed.success
  around.budget.fail("json-parse: the text is not JSON")
  return undefined
}

export const logic: Readonly<Record<string, Helper>> = {
  "and": (words) => words.every(isSomething),
  "or": (words) => words.some(isSomething),
  "not": ([value]) => !isSomething(value),
  "condition": condition,
  "conditional": conditional,
  "filter": filter,
  "json-parse": jsonParse
}
