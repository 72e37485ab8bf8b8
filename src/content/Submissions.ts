import type { Scope } from "#schemas/Scope.ts"
import type { TemplateNotFound } from "#src/content/Templates.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, Schema } from "effect"

/** The template has no such submission, or it was withdrawn: 404. */
export class SubmissionNotFound
  extends Schema.TaggedError<SubmissionNotFound>()("SubmissionNotFound", { id: Schema.String })
{}

export const CheckStatus = Schema.Literals(["RESOLVED", "FAILED", "PENDING"])

/** One thing that a reviewer, or a program, has to say of a submission. `updated`: epoch ms of the last change of its status. */
export const Check = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("custom"),
  status: CheckStatus,
  updated: Schema.Number
})
export type Check = typeof Check.Type

export type CheckWrite = Omit<Check, "updated">

/** The set of checks after a write, each with the time of its last change. */
export const merged = (stored: ReadonlyArray<Check>, written: ReadonlyArray<CheckWrite>, now: number) => {
  const before = new Map(stored.map((check) => [check.id, check]))
  return [...new Map(written.map((check) => [check.id, check])).values()].map(({ id, status, type }): Check => {
    const known = before.get(id)
    return { id, type, status, updated: known?.status === status ? known.updated : now }
  })
}

/** Drafts handed in for approval, and the checks on them (api.md 14). What a submission says does not bind the template: it stays a draft. */
export class Submissions extends Context.Service<Submissions, {
  /** Hands in the draft of a template; answers the submission's id. */
  readonly submit: (scope: Scope, templateId: string) => Effect.Effect<string, TemplateNotFound | StoreUnavailable>
  readonly checks: (
    scope: Scope,
    templateId: string,
    id: string
  ) => Effect.Effect<ReadonlyArray<Check>, SubmissionNotFound | StoreUnavailable>
  /** Replaces the whole set. */
  readonly putChecks: (
    scope: Scope,
    templateId: string,
    id: string,
    checks: ReadonlyArray<CheckWrite>
  ) => Effect.Effect<ReadonlyArray<Check>, SubmissionNotFound | StoreUnavailable>
  /** The submission and its checks are gone. */
  readonly withdraw: (
    scope: Scope,
    templateId: string,
    id: string
  ) => Effect.Effect<void, SubmissionNotFound | StoreUnavailable>
}>()("tidings/Submissions") {}
