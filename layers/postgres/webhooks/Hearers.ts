import { Invalidations } from "#layers/postgres/notices/Invalidations.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ heard: Schema.Boolean })]))

/** Whether webhooks of one of these environments want to know of messages. */
export type Hears = (scopes: Iterable<Scope>) => Effect.Effect<boolean>

/** For how many monotonic ns an answer is used, and for how many of them without asking again meanwhile. */
const used = 1_000_000_000n
const fresh = 500_000_000n

/** For how many ns after a change by this node the database is asked each time: the change may commit until then. */
const unsettled = 10_000_000_000n

/**
 * Whether a webhook of one of these environments wants to know of messages. The statements that write messages are
 * shorter, and cheaper to plan, where none does. A new webhook counts at once on this node, and within 2 s on others: it
 * is asked for beside the writes, which wait for an answer only if there is none of the last second. Ask outside of a
 * transaction. Where it cannot be asked, the answer is that one does: the longer statements are right in any case, and
 * meet the outage themselves.
 */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const revisions = yield* Revisions.make("webhooks")
  const hears = revisions.remembering((scope: Scope) =>
    sql.unsafe(
      `select exists (select from webhooks w where w.scope = $1 and ${Told.wants("message:updated")}) as heard`,
      [
        scope
      ]
    ).pipe(Effect.flatMap(decode), Effect.map(([{ heard }]) => heard), orUnavailable)
  )
  const fork = yield* Fibers.make
  const known = new Map<Scope, { readonly answer: boolean; readonly at: bigint }>()
  const asked = new Set<Scope>()
  const changed = new Map<Scope, bigint>()
  const { hear } = yield* Invalidations
  yield* hear(({ kind, scope }) =>
    Effect.map(Clock.monotonicTimeNanos, (now) => {
      if (kind === "webhooks") changed.set(scope, now + unsettled)
    })
  )

  const ask = Effect.fnUntraced(function*(scope: Scope, at: bigint) {
    asked.add(scope)
    const answer = yield* hears(scope, "")
    known.set(scope, { answer, at })
    return answer
  }, (asking, scope) => Effect.ensuring(asking, Effect.sync(() => asked.delete(scope))))

  const heard = (scope: Scope): Effect.Effect<boolean> =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
      const last = known.get(scope)
      const asking = Effect.catch(ask(scope, now), () => Effect.succeed(true))
      if (last === undefined || now - last.at > used || now < (changed.get(scope) ?? now)) return asking
      return now - last.at > fresh && !asked.has(scope)
        ? Effect.as(fork(asking), last.answer)
        : Effect.succeed(last.answer)
    })
  const hearers: Hears = (scopes) => {
    const [first, ...others] = new Set(scopes)
    if (first === undefined) return Effect.succeed(false)
    if (others.length === 0) return heard(first)
    const answers = Effect.forEach([first, ...others], heard, { concurrency: "unbounded" })
    return Effect.map(answers, (all) => all.includes(true))
  }
  return hearers
})
