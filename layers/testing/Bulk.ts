import * as BulkJobs from "#layers/memory/BulkJobs.ts"
import * as Callers from "#layers/testing/Caller.ts"
import type { BulkJob } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import { typeOf } from "#layers/testing/Mistakes.ts"
import type { Node } from "#layers/testing/Node.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import type { Store } from "#layers/testing/Store.ts"
import { unknown } from "#layers/testing/Unknown.ts"
import { BulkMessage, BulkUser, BulkUsers } from "#schemas/Bulk.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Idempotency, type StoredResponse } from "#src/access/Idempotency.ts"
import * as Add from "#src/delivery/bulk/Add.ts"
import * as Definition from "#src/delivery/bulk/Definition.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, Effect, Option, Predicate, Result, Schema } from "effect"

/** What a bulk job is to send, and to whom: the `message` of POST /bulk, and the `users` of POST /bulk/:job_id. */
export interface BulkSend {
  readonly message: typeof BulkMessage.Encoded
  readonly users: ReadonlyArray<typeof BulkUser.Encoded>
}

const names: Readonly<Record<keyof BulkSend, true>> = { message: true, users: true }

const decodeMessage = Schema.decodeUnknownResult(BulkMessage, { errors: "all" })
const decodeUsers = Schema.decodeUnknownResult(BulkUsers, { errors: "all" })
const decodeAdded = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({
  errors: Schema.Array(Schema.Struct({ user: Schema.toEncoded(BulkUser), error: Schema.String }))
})))
const jobIdOf = Callers.fieldOf("jobId")
const ran: StoredResponse = { status: 204, body: "", headers: {} }

/** What is said of a bulk job; a defect if it is none. */
const told = (send: BulkSend): Effect.Effect<BulkSend> => {
  if (!Predicate.isObject(send)) return Effect.die(`A bulk job has to be an object, and is of type ${typeOf(send)}`)
  if (!Array.isArray(send.users)) {
    return Effect.die(`The users of a bulk job have to be an array, and are of type ${typeOf(send.users)}`)
  }
  const [fault] = unknown("A bulk job", send, names)
  return fault === undefined ? Effect.succeed(send) : Effect.die(fault)
}

/** Bulk jobs as `layers/http/routes/Bulk.ts` takes them: made, given their users, and run, each call tried by itself. */
export const make = (options: {
  readonly loop: Loop
  readonly caller: Callers.Caller
  readonly store: Store
  readonly services: Context.Context<Shared>
}) => {
  const { caller: ask, loop, services, store } = options
  const jobs: Array<BulkJob> = []
  const idempotency = Context.get(services, Idempotency)
  const stored = Context.get(services, Jobs)
  const addTo = Effect.runSync(Effect.provideContext(Add.make, services))

  /** What the store commits in one step, together with the key (`layers/http/Once.ts`). */
  const once = (
    { process }: Node,
    asked: Callers.Asked,
    path: string,
    operation: Effect.Effect<StoredResponse, StoreUnavailable>
  ): Effect.Effect<StoredResponse> => {
    const key = Callers.keyOf(asked, path, loop.wall())
    const done = key === undefined
      ? operation
      : Effect.map(idempotency.once(key, operation), ({ response }) => response)
    return store.ask(process, done).pipe(
      Effect.catchTags({
        StoreUnavailable: () => Effect.succeed(Callers.unavailable),
        // A step of the store is over at once.
        StillRunning: Effect.die
      })
    )
  }

  const create = (scope: Scope, message: BulkSend["message"]) => {
    const decoded = decodeMessage(message)
    if (Result.isFailure(decoded))
      return Effect.succeed(Callers.refusal(400, sentence(decoded.failure.issue, "message")))
    return Definition.instructions(decoded.success).pipe(
      Effect.andThen(stored.create(scope, decoded.success)),
      Effect.map((jobId) => Callers.reply(200, { jobId })),
      Effect.catchTag("SendRefused", ({ detail }) => Effect.succeed(Callers.refusal(400, detail)))
    )
  }

  const add = (scope: Scope, jobId: string, users: BulkSend["users"]) => {
    const decoded = decodeUsers(users)
    if (Result.isFailure(decoded)) return Effect.succeed(Callers.refusal(400, sentence(decoded.failure.issue, "users")))
    return addTo(scope, jobId, decoded.success).pipe(
      Effect.map(({ refused, taken }) => ({
        status: 200,
        body: JSON.stringify({ total: taken, errors: refused }),
        headers: {}
      })),
      Effect.catchTags({
        JobNotFound: () => Effect.succeed(Callers.refusal(404, `Bulk job ${jobId} not found`)),
        JobClosed: () => Effect.succeed(Callers.refusal(409, `Bulk job ${jobId} was run and takes no more users`))
      })
    )
  }

  const bulk = Effect.fnUntraced(function*(send: BulkSend, options: Callers.SendOptions = {}) {
    const { message, users } = yield* told(send)
    const { environment = 1, key } = yield* Callers.said(options)
    const scope = yield* Callers.scopeOf(environment)
    const job: BulkJob = {
      number: jobs.length,
      scope,
      key,
      message,
      users,
      tries: { create: [], add: [], run: [] },
      jobId: undefined,
      errors: [],
      requestId: undefined
    }
    jobs.push(job)
    const call = (name: keyof BulkJob["tries"]): Callers.Asked => ({ key, scope, tries: job.tries[name] })

    const creating = call("create")
    const jobId = jobIdOf(yield* ask(creating, (node) => once(node, creating, "/bulk", create(scope, message))))
    if (jobId === undefined) return job
    job.jobId = jobId

    const adding = call("add")
    const added = yield* ask(adding, (node) => once(node, adding, `/bulk/${jobId}`, add(scope, jobId, users)))
    if (added === undefined) return job
    job.errors = Option.getOrElse(decodeAdded(added), () => ({ errors: [] })).errors

    const running = call("run")
    const principal = { scope, keyState: "published" } as const
    const answer = yield* ask(running, (node) =>
      Callers.committed(
        node,
        node.runJob(principal, jobId, ran),
        Callers.keyOf(running, `/bulk/${jobId}/run`, loop.wall())
      ))
    if (answer === undefined) return job
    job.requestId = store.look((state) => BulkJobs.jobOf(state, scope, jobId))?.requestId
    return job
  })

  return { bulk, jobs }
}
