import { Id } from "#schemas/Id.ts"
import { optional } from "#schemas/Optional.ts"
import * as Text from "#schemas/Text.ts"
import { Schema } from "effect"

export const LogicalOperator = Schema.Literals(["AND", "OR"]).annotate({ title: "LogicalOperator" })
export type LogicalOperator = typeof LogicalOperator.Type

export const ComparisonOperator = Schema.Literals([
  "EQ",
  "NEQ",
  "GT",
  "GTE",
  "LT",
  "LTE",
  "EXISTS",
  "INCLUDES",
  "OMIT",
  "STARTS_WITH",
  "ENDS_WITH",
  "IS_BEFORE",
  "IS_AFTER",
  "MEMBER_OF"
]).annotate({ title: "ComparisonOperator" })
export type ComparisonOperator = typeof ComparisonOperator.Type

/** One comparison; `path` is a dot path into the profile, or `account_id` for the tenants of `MEMBER_OF`. */
export interface Condition {
  readonly operator: ComparisonOperator
  readonly path: string
  readonly value?: string
}

export interface Group {
  readonly operator: LogicalOperator
  readonly filters: ReadonlyArray<Rule>
}

export type Rule = Condition | Group

const Condition = Schema.Struct({
  operator: ComparisonOperator,
  path: Schema.String,
  value: Schema.optionalKey(Schema.String)
})

const Rule: Schema.Codec<Rule> = Schema.Union([
  Condition,
  Schema.Struct({
    operator: LogicalOperator,
    filters: Schema.Array(Schema.suspend((): Schema.Codec<Rule> => Rule))
  })
]).annotate({ title: "AudienceRule" })

/** A filter as it is stored and answered. With one rule it needs no operator. */
export const AudienceFilter = Schema.Struct({
  operator: Schema.optionalKey(LogicalOperator),
  filters: Schema.Array(Rule)
}).annotate({ title: "AudienceFilter" })
export type AudienceFilter = typeof AudienceFilter.Type

/** A rule as callers write it. `AudienceRules` checks which fields go together. */
export interface RuleDraft {
  readonly operator?: LogicalOperator | ComparisonOperator | null | undefined
  readonly path?: string | null | undefined
  readonly value?: string | number | boolean | null | undefined
  readonly filters?: ReadonlyArray<RuleDraft> | null | undefined
}

/** A rule, or the whole filter: older clients send a single condition as the filter (api.md 8). */
export const RuleDraft: Schema.Codec<RuleDraft> = Schema.Struct({
  operator: optional(Schema.Union([LogicalOperator, ComparisonOperator])),
  path: optional(Schema.String),
  value: optional(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
  filters: optional(Schema.Array(Schema.suspend((): Schema.Codec<RuleDraft> => RuleDraft)))
}).annotate({ title: "AudienceFilterWrite" })

/** An audience as callers write it (api.md 8). Every field may be left out; without a filter it has no members. */
export const AudienceBody = Schema.Struct({
  name: optional(Id),
  description: optional(Schema.String.check(Schema.isMaxLength(10_000), Text.storable)),
  filter: optional(RuleDraft),
  operator: optional(LogicalOperator)
}).annotate({ title: "AudienceWrite" })
export type AudienceBody = typeof AudienceBody.Type
