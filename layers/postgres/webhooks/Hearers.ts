import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ heard: Schema.Boolean })]))

/** Whether webhooks of one of these environments want to know of messages. */
export type Hears = (scopes: Iterable<Scope>) => Effect.Effect<boolean>

/**
 * Whether a webhook of one of these environments wants to know of messages. The statements that write messages are
 * shorter, and cheaper to plan, where none does. A new webhook counts at once on this node, and within a second on
 * others (`Revisions`). Ask outside of a transaction. Where it cannot be asked, the answer is that one does: the longer
 * statements are right in any case, and meet the outage themselves.
 */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const revisions = yield* Revisions.make("webhooks")
  const hears = revisions.remembering((scope: Scope) =>
    sql.unsafe(
      `select exists (select from webhooks w where w.scope = $1 and ${Told.wants("message:updated")}) as heard`,
      [scope]
    ).pipe(Effect.flatMap(decode), Effect.map(([{ heard }]) => heard), orUnavailable)
  )
  const heard = (scope: Scope): Effect.Effect<boolean> => Effect.catch(hears(scope, ""), () => Effect.succeed(true))
  const hearers: Hears = (scopes) => {
    const [first, ...others] = new Set(scopes)
    if (first === undefined) return Effect.succeed(false)
    if (others.length === 0) return heard(first)
    const answers = Effect.forEach([first, ...others], heard, { concurrency: "unbounded" })
    return Effect.map(answers, (all) => all.includes(true))
  }
  return hearers
})
