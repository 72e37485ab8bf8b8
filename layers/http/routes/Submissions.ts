import * as Group from "#layers/http/Group.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Submissions } from "#src/content/Submissions.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** /notifications/:id/:submission_id/checks. */
export const layer = Group.layer(Effect.gen(function*() {
  const submissions = yield* Submissions
  return HttpApiBuilder.group(Served, "submissions", (handlers) =>
    handlers.handleAll({
      submit: Effect.fnUntraced(function*({ params: { id } }) {
        const { scope } = yield* CurrentPrincipal
        return { id, submission_id: yield* submissions.submit(scope, id) }
      }, refusals),
      checks: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return { checks: yield* submissions.checks(scope, params.id, params.submission_id) }
      }, refusals),
      putChecks: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        return { checks: yield* submissions.putChecks(scope, params.id, params.submission_id, payload.checks) }
      }, refusals),
      withdraw: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* submissions.withdraw(scope, params.id, params.submission_id)
      }, refusals)
    }))
}))
