import type { AudienceFilter, Condition, Group, Rule } from "#schemas/Audience.ts"
import { isList, type Value, valueAt } from "#schemas/Json.ts"
import { fromEpoch, fromIso } from "#schemas/WrittenTime.ts"
import type { Schema } from "effect"

/** The user that a filter is evaluated for. */
export interface Subject {
  readonly profile: Schema.JsonObject
  /** The tenants that the user is a member of. */
  readonly tenants: ReadonlyArray<string>
}

/** The text of a scalar, numbers and booleans included; `undefined` for anything else. */
const textOf = (value: Value): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined

/** A finite number; NaN for any other text. */
const numberOf = (text: string): number => {
  const number = text.trim() === "" ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : Number.NaN
}

/** Epoch ms of ISO 8601 text, or of a number in seconds or milliseconds; NaN for any other text. */
const timeOf = (text: string): number => fromIso(text) ?? fromEpoch(numberOf(text))

/**
 * Compares two texts, with a result below, at or above 0: as numbers if both are numbers, by their characters if neither
 * is. A number and another text have no order, and so the result is NaN: whose age is `unknown` is not over 18.
 */
const order = (left: string, right: string): number => {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (!Number.isNaN(a) || !Number.isNaN(b)) return a - b
  return left === right ? 0 : left < right ? -1 : 1
}

const compares = (operator: Condition["operator"], found: string, value: string): boolean => {
  switch (operator) {
    case "EQ":
      return found === value
    case "GT":
      return order(found, value) > 0
    case "GTE":
      return order(found, value) >= 0
    case "LT":
      return order(found, value) < 0
    case "LTE":
      return order(found, value) <= 0
    case "INCLUDES":
      return found.includes(value)
    case "STARTS_WITH":
      return found.startsWith(value)
    case "ENDS_WITH":
      return found.endsWith(value)
    case "IS_BEFORE":
      return timeOf(found) < timeOf(value)
    case "IS_AFTER":
      return timeOf(found) > timeOf(value)
    case "NEQ":
    case "EXISTS":
    case "OMIT":
    case "MEMBER_OF":
      return false
  }
}

const holds = ({ operator, path, value = "" }: Condition, { profile, tenants }: Subject): boolean => {
  if (operator === "MEMBER_OF") return tenants.includes(value)
  const found = valueAt(profile, path.split("."))
  const text = textOf(found)
  switch (operator) {
    case "EXISTS":
      return found !== undefined && found !== null
    case "OMIT":
      return found === undefined || found === null
    case "NEQ":
      return text !== value
    case "INCLUDES":
      if (isList(found)) return found.some((item) => textOf(item) === value)
  }
  return text !== undefined && compares(operator, text, value)
}

const isGroup = (rule: Rule): rule is Group => rule.operator === "AND" || rule.operator === "OR"

/** A group without rules matches nobody, whatever its operator: a blank audience must not reach everyone. */
const isMet = (rule: Rule, subject: Subject): boolean => {
  if (!isGroup(rule)) return holds(rule, subject)
  const { filters, operator } = rule
  return operator === "AND"
    ? filters.length > 0 && filters.every((inner) => isMet(inner, subject))
    : filters.some((inner) => isMet(inner, subject))
}

const rootOf = ({ filters, operator = "AND" }: AudienceFilter): Rule => {
  const [only, ...others] = filters
  return only !== undefined && others.length === 0 ? only : { operator, filters }
}

/**
 * Whether a user belongs to an audience (api.md 8): the only evaluator. Comparison is case-sensitive. Numbers and
 * booleans of the profile are compared as text, but `GT` and its kin compare as numbers if both sides are numbers, and
 * never hold if only one is. `IS_BEFORE` and `IS_AFTER` take ISO 8601 and epochs. A missing value equals nothing, and
 * matches only `NEQ` and `OMIT`; `null` counts as missing.
 */
export const matches = (filter: AudienceFilter, subject: Subject): boolean => isMet(rootOf(filter), subject)

const longest = 1_000

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`

const told = (rule: Rule, subject: Subject): string => {
  const outcome = `=> ${isMet(rule, subject)}`
  if (isGroup(rule))
    return `${rule.operator}(${rule.filters.map((inner) => told(inner, subject)).join(", ")}) ${outcome}`
  const { operator, path, value } = rule
  return `${operator}(${value === undefined ? quoted(path) : `${quoted(path)}, ${quoted(value)}`}) ${outcome}`
}

/** Why a user belongs to it, in words: `EQ('title', 'Engineer') => true`. */
export const reason = (filter: AudienceFilter, subject: Subject): string => {
  const text = told(rootOf(filter), subject)
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text
}
