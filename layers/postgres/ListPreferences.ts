import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { ListPreferences, type ListWord } from "#src/people/ListPreferences.ts"
import { StoredPreferences } from "#src/people/StoredPreferences.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ place: Schema.Number, list: StoredPreferences, subscription: StoredPreferences }))
)

interface Asked {
  readonly scope: Scope
  readonly listId: string
  readonly userId: UserId
}

const listOf = ({ listId, scope }: Asked): string => `${scope} ${listId}`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // What a list says comes with the first who is asked for in it: all of a page of a fan-out are in one list. Looks up
  // each row by its key, for the same reason as `Profiles` does.
  const lookup = yield* Lookups.make(Effect.fnUntraced(function*(asked: ReadonlyArray<Asked>) {
    const rows = yield* sql`select x.place::int as place, s.preferences as subscription,
        case row_number() over (partition by x.scope, x.list_id order by x.place) when 1 then l.preferences end as list
      from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ listId }) => listId)}::text[],
        ${asked.map(({ userId }) => userId)}::text[]) with ordinality as x(scope, list_id, user_id, place)
      left join lateral (select preferences from lists l where l.scope = x.scope and l.id = x.list_id limit 1) l on true
      left join lateral (select preferences from list_subscriptions s
        where s.scope = x.scope and s.list_id = x.list_id and s.user_id = x.user_id limit 1) s on true
      where l.preferences is not null or s.preferences is not null`.pipe(Effect.flatMap(decodeRows))
    const lists = new Map<string, ListWord["list"]>()
    const subscriptions = new Map<number, ListWord["subscription"]>()
    for (const { list, place, subscription } of rows) {
      const one = asked[place - 1]
      if (one !== undefined && list !== null) lists.set(listOf(one), list)
      if (subscription !== null) subscriptions.set(place - 1, subscription)
    }
    return asked.map((one, place): ListWord => ({
      list: lists.get(listOf(one)),
      subscription: subscriptions.get(place)
    }))
  }))

  return ListPreferences.of({ find: (scope, listId, userId) => lookup({ scope, listId, userId }) })
})

/** What lists and subscriptions say, on Postgres. */
export const layer = Layer.effect(ListPreferences, make)
