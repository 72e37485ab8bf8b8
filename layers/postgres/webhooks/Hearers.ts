import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ heard: Schema.Boolean })]))

/** Whether webhooks of one of these environments want to know of messages. */
export type Hears = (scopes: Iterable<Scope>) => Effect.Effect<boolean, StoreUnavailable>

/**
 * Whether a webhook of one of these environments wants to know of messages. The statements that write messages are
 * shorter, and cheaper to plan, where none does. A new webhook counts at once on this node, and within a second on
 * others. Ask outside of a transaction: within one, the database is asked each time.
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
  const hearers: Hears = (scopes) =>
    Effect.reduce(new Set(scopes), () => false, (found, scope) => found ? Effect.succeed(true) : hears(scope, ""))
  return hearers
})
