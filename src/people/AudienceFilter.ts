import type { AudienceFilter, Condition, Group, Rule } from "#schemas/Audience.ts"
import { isList, type Value, valueAt } from "#schemas/Json.ts"
import { fromEpoch, fromIso } from "#schemas/WrittenTime.ts"
import * as Scan from "#src/delivery/conditions/Scan.ts"
import type { Schema } from "effect"

/** The user that a filter is evaluated for. */
export interface Subject {
  readonly profile: Schema.JsonObject
  /** The tenants that the user is a member of. */
  readonly tenants: ReadonlyArray<string>
}

/** The cost of a list's item, which may have to be written as a text, compared to looking at one character. */
const costOfItem = 8

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

const compares = (operator: Condition["operator"], found: string, value: string, scan: Scan.Scan): boolean => {
  switch (operator) {
    case "EQ":
      return found === value
    case "STARTS_WITH":
      return found.startsWith(value)
    case "ENDS_WITH":
      return found.endsWith(value)
    case "INCLUDES":
      return Scan.pays(scan, Scan.costOfSearch(found, value)) && found.includes(value)
    default:
      return Scan.pays(scan, found.length) && isOrdered(operator, found, value)
  }
}

const isOrdered = (operator: Condition["operator"], found: string, value: string): boolean => {
  switch (operator) {
    case "GT":
      return order(found, value) > 0
    case "GTE":
      return order(found, value) >= 0
    case "LT":
      return order(found, value) < 0
    case "LTE":
      return order(found, value) <= 0
    case "IS_BEFORE":
      return timeOf(found) < timeOf(value)
    case "IS_AFTER":
      return timeOf(found) > timeOf(value)
    default:
      return false
  }
}

const holds = (
  { operator, path, value = "" }: Condition,
  { profile, tenants }: Subject,
  scan: Scan.Scan
): boolean => {
  if (operator === "MEMBER_OF") return Scan.pays(scan, tenants.length) && tenants.includes(value)
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
      if (isList(found))
        return Scan.pays(scan, found.length * costOfItem) && found.some((item) => textOf(item) === value)
  }
  return text !== undefined && compares(operator, text, value, scan)
}

const isGroup = (rule: Rule): rule is Group => rule.operator === "AND" || rule.operator === "OR"

/** A group without rules matches nobody, whatever its operator: a blank audience must not reach everyone. */
const isMet = (rule: Rule, subject: Subject, scan: Scan.Scan): boolean => {
  if (scan.left < 0) return false
  if (!isGroup(rule)) return holds(rule, subject, scan)
  const { filters, operator } = rule
  return operator === "AND"
    ? filters.length > 0 && filters.every((inner) => isMet(inner, subject, scan))
    : filters.some((inner) => isMet(inner, subject, scan))
}

const rootOf = ({ filters, operator = "AND" }: AudienceFilter): Rule => {
  const [only, ...others] = filters
  return only !== undefined && others.length === 0 ? only : { operator, filters }
}

/**
 * Whether a user belongs to an audience (api.md 8): the only evaluator. Comparison is case-sensitive. Numbers and
 * booleans of the profile are compared as text, but `GT` and its kin compare as numbers if both sides are numbers, and
 * never hold if only one is. `IS_BEFORE` and `IS_AFTER` take ISO 8601 and epochs. A missing value equals nothing, and
 * matches only `NEQ` and `OMIT`; `null` counts as missing. Who has more to look through than `scan` allows is no member.
 */
export const matches = (
  filter: AudienceFilter,
  subject: Subject,
  scan: Scan.Scan = Scan.make()
): boolean => isMet(rootOf(filter), subject, scan) && scan.left >= 0

const longest = 1_000

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`

/** The rules in words, one after the other until there is more than is kept, or may be looked through. */
const told = (
  rule: Rule,
  subject: Subject,
  scan: Scan.Scan,
  before = 0
): { readonly text: string; readonly met: boolean } => {
  if (!isGroup(rule)) {
    const { operator, path, value } = rule
    const asked = `${operator}(${value === undefined ? quoted(path) : `${quoted(path)}, ${quoted(value)}`}) =>`
    const met = isMet(rule, subject, scan)
    return { met, text: scan.left < 0 ? asked : `${asked} ${met}` }
  }
  const outcomes: Array<boolean> = []
  let text = `${rule.operator}(`
  for (const inner of rule.filters) {
    if (before + text.length > longest || scan.left < 0) return { text, met: false }
    const one = told(inner, subject, scan, before + text.length)
    text += `${outcomes.length === 0 ? "" : ", "}${one.text}`
    outcomes.push(one.met)
  }
  const met = rule.operator === "OR" ? outcomes.includes(true) : outcomes.length > 0 && !outcomes.includes(false)
  return { met, text: scan.left < 0 ? text : `${text}) => ${met}` }
}

/** Why a user belongs to it, in words: `EQ('title', 'Engineer') => true`. */
export const reason = (filter: AudienceFilter, subject: Subject): string => {
  const scan = Scan.make()
  const { text } = told(rootOf(filter), subject, scan)
  return text.length > longest || scan.left < 0 ? `${text.slice(0, longest).toWellFormed()}…` : text
}
