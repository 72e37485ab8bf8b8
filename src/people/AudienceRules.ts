import type {
  AudienceBody,
  AudienceFilter,
  ComparisonOperator,
  LogicalOperator,
  Rule,
  RuleDraft
} from "#schemas/Audience.ts"
import * as Text from "#schemas/Text.ts"
import type { AudienceDraft } from "#src/people/Audiences.ts"
import { Result, Schema } from "effect"

/** The filter is not valid: 400. `detail` names the field. */
export class FilterRefused extends Schema.TaggedError<FilterRefused>()("FilterRefused", { detail: Schema.String }) {}

/** Limits on a filter, which bound the work for each profile. */
const maxRules = 500
const longest = 1_000

type Parsed<A> = Result.Result<A, FilterRefused>

const refused = (path: string, reason: string) => Result.fail(new FilterRefused({ detail: `${path}: ${reason}` }))

/** Whether a path or value can be stored: both are part of the stored reason of a membership. */
const isText = (text: string): boolean => text.length <= longest && Text.isStorable(text)

const isLogical = (operator: LogicalOperator | ComparisonOperator): operator is LogicalOperator =>
  operator === "AND" || operator === "OR"

const condition = (operator: ComparisonOperator, { path, value }: RuleDraft, at: string): Parsed<Rule> => {
  if (path === undefined || path === null || path === "") return refused(`${at}.path`, "Expected the path of a profile")
  if (operator === "MEMBER_OF" && path !== "account_id") return refused(`${at}.path`, "MEMBER_OF takes account_id only")
  if (!isText(path) || !isText(String(value))) {
    return refused(at, `Expected at most ${longest} characters, without NUL or lone surrogates`)
  }
  if (operator === "EXISTS" || operator === "OMIT") return Result.succeed({ operator, path })
  if (value === undefined || value === null) return refused(`${at}.value`, `${operator} needs a value`)
  return Result.succeed({ operator, path, value: String(value) })
}

const rules = (drafts: ReadonlyArray<RuleDraft>, at: string): Parsed<ReadonlyArray<Rule>> => {
  const found: Array<Rule> = []
  for (const [index, draft] of drafts.entries()) {
    const parsed = rule(draft, `${at}[${index}]`)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    found.push(parsed.success)
  }
  return Result.succeed(found)
}

const rule = (draft: RuleDraft, at: string): Parsed<Rule> => {
  const { filters, operator } = draft
  if (operator === undefined || operator === null) return refused(`${at}.operator`, "Expected an operator")
  if (!isLogical(operator)) return condition(operator, draft, at)
  if (filters === undefined || filters === null) return refused(`${at}.filters`, `${operator} needs filters`)
  return Result.map(rules(filters, `${at}.filters`), (parsed) => ({ operator, filters: parsed }))
}

/** How many rules and groups there are, at any depth. */
export const count = (drafts: ReadonlyArray<RuleDraft>): number =>
  drafts.reduce((total, { filters }) => total + 1 + count(filters ?? []), 0)

/**
 * Parses a filter that a caller wrote. Several rules need an operator, either in the filter or, as an alias, beside it;
 * the filter's own wins (api.md 8).
 */
export const parse = (
  draft: RuleDraft,
  beside: LogicalOperator | undefined
): Parsed<AudienceFilter> => {
  const { filters, operator } = draft
  if (filters === undefined || filters === null) {
    if (draft.path === undefined || draft.path === null) return refused("filter.filters", "Expected rules")
    return Result.map(rule(draft, "filter"), (only) => ({ filters: [only] }))
  }
  if (count(filters) > maxRules) return refused("filter.filters", `Expected at most ${maxRules} rules`)
  if (operator !== undefined && operator !== null && !isLogical(operator)) {
    return refused("filter.operator", "Expected AND or OR")
  }
  const joined = operator ?? beside
  if (filters.length > 1 && joined === undefined) return refused("filter.operator", "Several rules need AND or OR")
  return Result.map(
    rules(filters, "filter.filters"),
    (parsed) => joined === undefined ? { filters: parsed } : { operator: joined, filters: parsed }
  )
}

/**
 * The audience that a caller wrote under this id. Without a name it is named by its id; without a filter it has no
 * members.
 */
export const draft = (id: string, { description, filter, name, operator }: AudienceBody): Parsed<AudienceDraft> => {
  const beside = operator ?? undefined
  return Result.map(
    filter === undefined || filter === null ? Result.succeed(undefined) : parse(filter, beside),
    (parsed) => ({ name: name ?? id, description: description ?? "", filter: parsed, operator: beside })
  )
}
