import * as Group from "#layers/http/Group.ts"
import { pageSize, pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { fromStored } from "#layers/http/StoredReply.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as Add from "#src/delivery/bulk/Add.ts"
import * as Definition from "#src/delivery/bulk/Definition.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as Progress from "#src/delivery/bulk/Progress.ts"
import * as Run from "#src/delivery/bulk/Run.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** /bulk. */
export const layer = Group.layer(Effect.gen(function*() {
  const jobs = yield* Jobs
  const add = yield* Add.make
  const run = yield* Run.make

  return HttpApiBuilder.group(Served, "bulk", (handlers) =>
    handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload: { message } }) {
        const { scope } = yield* CurrentPrincipal
        yield* Definition.instructions(message)
        return { jobId: yield* jobs.create(scope, message) }
      }, refusals),
      add: Effect.fnUntraced(function*({ params, payload: { users } }) {
        const { scope } = yield* CurrentPrincipal
        const { refused, taken } = yield* add(scope, params.job_id, users)
        return { total: taken, errors: refused }
      }, refusals),
      run: Effect.fnUntraced(function*({ params }) {
        const principal = yield* CurrentPrincipal
        return fromStored(yield* run(principal, params.job_id, { status: 204, body: "", headers: {} }))
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const job = yield* jobs.find(scope, params.job_id)
        const { definition, failures, received, requestId, running } = job
        const enqueued = running?.messages ?? 0
        return { job: { definition, status: Progress.ofJob(job), received, enqueued, failures, requestId } }
      }, refusals),
      users: Effect.fnUntraced(function*({ params, query: { cursor } }) {
        const { scope } = yield* CurrentPrincipal
        const job = yield* jobs.find(scope, params.job_id)
        const page = yield* jobs.users(scope, job.id, { limit: pageSize, cursor })
        return {
          paging: pagingOf(page),
          items: page.items.map((one) => ({ ...one.user, ...Progress.ofUser(job, one), error: one.error }))
        }
      }, refusals)
    }))
}))
