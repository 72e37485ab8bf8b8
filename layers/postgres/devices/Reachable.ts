import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { TokenProvider } from "#schemas/DeviceToken.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { type DeviceTokens, mostReachable, type Reachable } from "#src/people/DeviceTokens.ts"
import { Clock, Context, Effect, Exit, Request, RequestResolver, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ scope: Scope, userId: UserId, provider: TokenProvider, token: Schema.String }))
)

const maxBatch = 500

class Find extends Request.Class<
  { readonly scope: Scope; readonly userId: UserId },
  ReadonlyArray<Reachable>,
  StoreUnavailable
> {}

/** The look-ups of one turn as one statement; those of a transaction stay on its connection. */
export const make = (sql: SqlClient.SqlClient): DeviceTokens["Service"]["reachable"] => {
  const resolver = RequestResolver.makeWith<Find>({
    batchKey: (entry) => Context.getOrUndefined(entry.context, sql.transactionService)?.[0],
    delay: Effect.yieldNow,
    collectWhile: (entries) => entries.size < maxBatch,
    runAll: Effect.fnUntraced(function*(entries) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql`select x.scope, x.user_id as "userId", d.provider, d.token
        from (select distinct * from unnest(${entries.map((entry) => entry.request.scope)}::int[],
          ${entries.map((entry) => entry.request.userId)}::text[]) as w(scope, user_id)) as x
        cross join lateral (select provider, token, created_at from device_tokens t
          where t.scope = x.scope and t.user_id = x.user_id and t.status = 'active'
            and (t.expires_at is null or t.expires_at > ${now}::bigint)
          order by created_at desc, token desc limit ${mostReachable}::int) as d
        order by x.scope, x.user_id, d.created_at desc, d.token desc`.pipe(Effect.flatMap(decode), orUnavailable)
      const found = new Map<string, Array<Reachable>>()
      for (const { provider, scope, token, userId } of rows) {
        const name = `${scope} ${userId}`
        found.set(name, [...(found.get(name) ?? []), { provider, token }])
      }
      for (const entry of entries) {
        entry.completeUnsafe(Exit.succeed(found.get(`${entry.request.scope} ${entry.request.userId}`) ?? []))
      }
    })
  })
  return (scope, userId) => Effect.request(new Find({ scope, userId }), resolver)
}
