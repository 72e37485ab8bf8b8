import type { Scope } from "#schemas/Scope.ts"
import type { TemplateNotFound } from "#src/content/Templates.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, Schema } from "effect"

/** The template has no such submission, or it was withdrawn: 404. */
export class SubmissionNotFound
  extends Schema.TaggedError<SubmissionNotFound>()("SubmissionNotFound", { id: Schema.String })
{}

const CheckStatus = Schema.Literals(["RESOLVED", "FAILED", "PENDING"])

/** One check on a submission, by a reviewer or a program. `updated`: epoch ms of the last change of its status. */
export const Check = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("custom"),
  status: CheckStatus,
  updated: Schema.Number
})
export type Check = typeof Check.Type

export type CheckWrite = Omit<Check, "updated">

/** The set of checks after a write. `updated` changes only if the status does. */
export const merged = (stored: ReadonlyArray<Check>, written: ReadonlyArray<CheckWrite>, now: number) => {
  const before = new Map(stored.map((check) => [check.id, check]))
  return [...new Map(written.map((check) => [check.id, check])).values()].map(({ id, status, type }): Check => {
    const known = before.get(id)
    return { id, type, status, updated: known?.status === status ? known.updated : now }
  })
}

/**
 * Drafts submitted for approval, and the checks on them (api.md 14). A submission has no effect on its template, which
 * stays a draft.
 */
export class Submissions extends Context.Service<Submissions, {
  /** Submits a template's draft; answers the submission's id. */
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
  /** Removes the submission and its checks. */
  readonly withdraw: (
    scope: Scope,
    templateId: string,
    id: string
  ) => Effect.Effect<void, SubmissionNotFound | StoreUnavailable>
}>()("tidings/Submissions") {}
