import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { ListPreferences, type ListWord } from "#src/people/ListPreferences.ts"
import { StoredPreferences } from "#src/people/StoredPreferences.ts"
import { Context, Effect, Exit, Layer, Request, RequestResolver, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  scope: Scope,
  listId: Schema.String,
  userId: UserId,
  list: StoredPreferences,
  subscription: StoredPreferences
})))

const maxBatch = 500

interface Asked {
  readonly scope: Scope
  readonly listId: string
  readonly userId: UserId
}

class Find extends Request.Class<Asked, ListWord, StoreUnavailable> {}

const nameOf = ({ listId, scope, userId }: Asked): string => JSON.stringify([scope, listId, userId])

const nothing: ListWord = { list: undefined, subscription: undefined }

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  /** The lookups of one turn as one statement; those of a transaction stay on its connection. */
  const resolver = RequestResolver.makeWith<Find>({
    batchKey: (entry) => Context.getOrUndefined(entry.context, sql.transactionService)?.[0],
    delay: Effect.yieldNow,
    collectWhile: (entries) => entries.size < maxBatch,
    runAll: Effect.fnUntraced(function*(entries) {
      const rows = yield* sql`select x.scope, x.list_id as "listId", x.user_id as "userId", l.preferences as list,
          s.preferences as subscription
        from unnest(${entries.map(({ request }) => request.scope)}::int[],
          ${entries.map(({ request }) => request.listId)}::text[], ${
        entries.map(({ request }) => request.userId)
      }::text[])
          as x(scope, list_id, user_id)
        left join lists l on l.scope = x.scope and l.id = x.list_id
        left join list_subscriptions s on s.scope = x.scope and s.list_id = x.list_id and s.user_id = x.user_id
        where l.preferences is not null or s.preferences is not null`.pipe(Effect.flatMap(decodeRows), orUnavailable)
      const words = new Map(rows.map((row) => [
        nameOf(row),
        { list: row.list ?? undefined, subscription: row.subscription ?? undefined }
      ]))
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(words.get(nameOf(entry.request)) ?? nothing))
    })
  })

  return ListPreferences.of({
    find: (scope, listId, userId) => Effect.request(new Find({ scope, listId, userId }), resolver)
  })
})

/** What lists and subscriptions say, on Postgres. */
export const layer = Layer.effect(ListPreferences, make)
