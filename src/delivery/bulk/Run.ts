import type { Principal } from "#src/access/ApiKeys.ts"
import { CurrentKey, type StoredResponse } from "#src/access/Idempotency.ts"
import * as Definition from "#src/delivery/bulk/Definition.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { ShardCount, shardOf } from "#src/delivery/shards/ShardCount.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Clock, Effect, Schema } from "effect"

/** A job is run once. */
export class JobRan extends Schema.TaggedError<JobRan>()("JobRan", { id: Schema.String }) {}

/**
 * Runs a bulk job: closes it, and accepts it as a request to many, with the response and the call's idempotency key in
 * one commit. A death between the two leaves a job that takes no more users and can be run again: as the same request,
 * or half a day later as a new one.
 */
export const make = Effect.gen(function*() {
  const jobs = yield* Jobs
  const journal = yield* Journal
  const shards = yield* ShardCount

  return Effect.fnUntraced(function*({ keyState, scope }: Principal, id: string, response: StoredResponse) {
    const at = yield* Clock.currentTimeMillis
    const requestId = yield* jobs.close(scope, id)
    const { definition, running } = yield* jobs.find(scope, id)
    if (running !== undefined) return yield* new JobRan({ id })
    const instructions = yield* Definition.instructions(definition)
    const shard = shardOf(requestId, shards)
    const { locale } = definition
    const recipients = typeof locale === "string" ? { bulk_job_id: id, locale } : { bulk_job_id: id }
    const expansion = { id: requestId, scope, shard, keyState, recipients, instructions }
    const key = yield* CurrentKey
    return yield* journal.accept({ key, response, messages: [], profiles: [], expansion, at }).pipe(
      Trace.accepting(requestId)
    )
  })
})
