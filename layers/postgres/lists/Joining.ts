import * as InPieces from "#layers/postgres/statements/InPieces.ts"
import { ensuredFirst } from "#layers/postgres/lists/Subscriptions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as UserLock from "#layers/postgres/statements/UserLock.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import * as Text from "#schemas/Text.ts"
import type { Lists } from "#src/people/Lists.ts"
import { toStored } from "#src/people/StoredPreferences.ts"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"

interface Joined {
  readonly list_id: string
  readonly preferences: string | null
}

/**
 * Subscribes a user to lists, in the order of their ids: makes those that are missing, restores those that are deleted,
 * then writes the subscriptions. Every call does so in this order, or two could deadlock: of more lists than one
 * statement takes, too, all are made before the first is restored.
 */
export const make = (sql: SqlClient.SqlClient): Lists["Service"]["join"] =>
  Effect.fnUntraced(function*(scope, userId, memberships) {
    const now = yield* Clock.currentTimeMillis
    const given = new Map<string, RecipientPreferences | undefined>()
    for (const { listId, preferences } of memberships) given.set(listId, preferences ?? given.get(listId))
    const rows = [...given].toSorted(([a], [b]) => Text.compare(a, b))
      .map(([listId, preferences]): Joined => ({ list_id: listId, preferences: toStored(preferences) }))

    const [taken, first] = rows.length > 1
      ? [sql`locked as materialized (${UserLock.of(sql, scope, userId)}),`, sql`locked cross join`]
      : [sql``, sql``]
    const these = (piece: ReadonlyArray<Joined>) =>
      sql`${taken} x as (select x.* from ${first}
        json_to_recordset(${JSON.stringify(piece)}::json) as x(list_id text, preferences text))`
    const fresh = sql`insert into lists (scope, id, name, created_at, updated_at)
      select ${scope}::int, x.list_id, x.list_id, ${now}::bigint, ${now}::bigint from x
      on conflict (scope, id) do nothing`
    const back = sql`update lists l set deleted_at = null, updated_at = ${now}
      from (select id from lists where scope = ${scope} and id in (select list_id from x) and deleted_at is not null
        order by id for update) gone
      where l.scope = ${scope} and l.id = gone.id`
    const subscribed = sql`insert into list_subscriptions as s (scope, list_id, user_id, preferences, created_at)
      select ${scope}::int, x.list_id, ${userId}, x.preferences, ${now}::bigint from x`
    const anew = sql`on conflict (scope, list_id, user_id) do update set preferences = excluded.preferences
      where excluded.preferences is not null and excluded.preferences is distinct from s.preferences`

    if (rows.length <= InPieces.most) {
      yield* sql`with ${these(rows)}, fresh as (${fresh} returning 1), back as (${back} returning 1)
        ${subscribed} ${ensuredFirst(sql)} ${anew}`
      return
    }
    yield* Effect.forEach(
      [fresh, back, sql`${subscribed} where true ${anew}`],
      (statement) => InPieces.run(rows, (piece) => sql`with ${these(piece)} ${statement}`),
      { discard: true }
    ).pipe(sql.withTransaction)
  }, orUnavailable)
