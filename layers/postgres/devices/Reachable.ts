import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import { TokenProvider } from "#schemas/DeviceToken.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { type DeviceTokens, mostReachable } from "#src/people/DeviceTokens.ts"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ place: Schema.Number, provider: TokenProvider, token: Schema.String }))
)

interface Asked {
  readonly scope: Scope
  readonly userId: UserId
}

/** The tokens that a push goes to. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const lookup = yield* Lookups.make(Effect.fnUntraced(function*(asked: ReadonlyArray<Asked>) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`select x.place::int as place, d.provider, d.token
      from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ userId }) => userId)}::text[])
        with ordinality as x(scope, user_id, place)
      cross join lateral (select provider, token, created_at from device_tokens t
        where t.scope = x.scope and t.user_id = x.user_id and t.status = 'active'
          and (t.expires_at is null or t.expires_at > ${now}::bigint)
        order by created_at desc, token desc limit ${mostReachable}::int) as d
      order by x.place, d.created_at desc, d.token desc`.pipe(Effect.flatMap(decode))
    const found = Map.groupBy(rows, ({ place }) => place - 1)
    return asked.map((_, place) => (found.get(place) ?? []).map(({ provider, token }) => ({ provider, token })))
  }))

  const reachable: DeviceTokens["Service"]["reachable"] = (scope, userId) => lookup({ scope, userId })
  return reachable
})
