import { isList, isObject, type Value } from "#schemas/Json.ts"
import { nestsDeeper } from "#src/content/Nesting.ts"
import { textOf } from "#src/content/Own.ts"
import { type Helper, isSomething, type Surroundings, text } from "#src/content/template/Helper.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"
import * as Conditions from "#src/delivery/Conditions.ts"
import { Result, Schema } from "effect"

/** The signs of `condition`, as conditions on `data.l` and `data.r`: no equality takes a text for a number. */
const comparisons: ReadonlyMap<string, string> = new Map([
  ["==", "data.l === data.r"],
  ["===", "data.l === data.r"],
  ["!=", "data.l !== data.r"],
  ["!==", "data.l !== data.r"],
  [">", "data.l > data.r"],
  [">=", "data.l >= data.r"],
  ["<", "data.l < data.r"],
  ["<=", "data.l <= data.r"]
])

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

const condition: Helper = (words, _, around) => {
  const [left, sign, right] = words
  const by = textOf(sign)
  const expression = comparisons.get(by)
  if (expression !== undefined && words.length > 2) return isHeld(expression, left, right, around)
  around.budget.fail(
    expression === undefined
      ? `condition: "${by.slice(0, 80)}" is not one of ${[...comparisons.keys()].join(" ")}`
      : `condition: there is nothing after ${by}`
  )
  return undefined
}

const equalities = ["==", "===", "!=", "!=="]

/**
 * `condition` where `var` says the operands of these places. What `var` says is a text to the service that this language
 * comes from: here a number of it equals the text of its digits, as well as the number that it is.
 */
export const conditionOfVar = (places: ReadonlySet<number>): Helper => (words, named, around) => {
  const spelled = (word: Value, at: number): Value =>
    places.has(at) && typeof word === "number" && typeof words[2 - at] === "string" ? textOf(word) : word
  return condition(equalities.includes(textOf(words[1])) ? words.map(spelled) : words, named, around)
}

const conditional: Helper = (words, named, around) => {
  const by = text(named.get("operator") ?? named.get("logicalOperator"), around).toLowerCase()
  return by === "or" ? words.some(isSomething) : words.every(isSomething)
}

/** Whether a block of `conditional` is shown. It hides its body when the condition holds, but for `behavior="show"`. */
export const conditionalShows: Helper = (words, named, around) =>
  (conditional(words, named, around) === true) === (text(named.get("behavior"), around) === "show")

/** Whether there is nothing in a value. Zero and `false` are something. */
const isEmpty = (value: Value, { budget }: Surroundings): boolean => {
  if (isList(value)) return value.length === 0
  if (!isObject(value)) return value === undefined || value === null || value === ""
  const { length } = Object.keys(value)
  return !budget.look(length) || length === 0
}

const orders = ["GREATER", "LESS"]

/** Compared by size, texts that are numbers are these numbers. */
const sized = (operator: string, left: Value, right: Value): readonly [Value, Value] => {
  if (!orders.some((order) => operator.startsWith(order))) return [left, right]
  const [l, r] = [numberOf(left), numberOf(right)]
  return l === undefined || r === undefined ? [left, right] : [l, r]
}

/**
 * `filter "profile" "email" "CONTAINS" "@x.io"`: a source, a path, an operator, and a value. The path leads through the
 * profile if that is the source; else it is one as anywhere, `customer.name` or `data.customer.name`.
 */
const filter: Helper = ([source, property, operator, value], _, around) => {
  const path = text(property, around)
  const of = around.at(text(source, around) === "profile" ? `$.profile.${path}` : path)
  const by = textOf(operator)
  if (by === "IS_EMPTY") return isEmpty(of, around)
  if (by === "NOT_EMPTY" || by === "IS_NOT_EMPTY") return !isEmpty(of, around)
  const expression = filters.get(by)
  if (expression !== undefined) return isHeld(expression, ...sized(by, of, value), around)
  around.budget.fail(`filter: "${by.slice(0, 80)}" is not an operator`)
  return undefined
}

/** Whether a text has another one in it, or a list an item. There is nothing in any other value. */
const contains: Helper = ([of, sought], _, around) => {
  if (sought === undefined || sought === null) return false
  const item = typeof of === "string" ? text(sought, around) : isList(of) ? sought : undefined
  return item !== undefined && isHeld("data.l.includes(data.r)", of, item, around)
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
  "contains": contains,
  "filter": filter,
  "json-parse": jsonParse
}
