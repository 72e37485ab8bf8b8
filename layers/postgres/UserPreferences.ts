import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { TopicSetting } from "#schemas/Preferences.ts"
import { type Owner, type TopicOverride, UserPreferences } from "#src/people/UserPreferences.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"

const setting = Schema.fromJsonString(TopicSetting)
const encode = Schema.encodeEffect(setting)
const decode = Schema.decodeEffect(setting)

const decodeTopics = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ topicId: Schema.String })))
const Found = Schema.Struct({ place: Schema.Number, preference: Schema.String })
const decodeFound = Schema.decodeUnknownEffect(Schema.Array(Found))

/** The `tenant_id` of preferences outside of any tenant. */
export const nowhere = ""

/** Whose preferences, with a text for its tenant or for none. */
interface Place extends Owner {
  readonly tenantId: string
}

const placeOf = ({ scope, tenantId = nowhere, userId }: Owner): Place => ({ scope, userId, tenantId })

interface Asked extends Place {
  readonly topicId: string
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Looks up each row by its key, for the same reason as `Profiles` does.
  const lookup = yield* Lookups.make(Effect.fnUntraced(function*(asked: ReadonlyArray<Asked>) {
    const rows = yield* sql`select x.place::int as place, p.preference
      from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ userId }) => userId)}::text[],
        ${asked.map(({ tenantId }) => tenantId)}::text[], ${asked.map(({ topicId }) => topicId)}::text[])
        with ordinality as x(scope, user_id, tenant_id, topic_id, place)
      cross join lateral (select preference from user_preferences p where p.scope = x.scope and p.user_id = x.user_id
        and p.tenant_id = x.tenant_id and p.topic_id = x.topic_id limit 1) p`.pipe(Effect.flatMap(decodeFound))
    const found = new Map(rows.map(({ place, preference }) => [place - 1, preference]))
    return asked.map((_, place) => found.get(place))
  }))

  /** A row that does not decode fails only the call that asked for it. */
  const settingOf = Effect.fnUntraced(function*(asked: Asked) {
    const preference = yield* lookup(asked)
    return preference === undefined ? undefined : yield* decode(preference)
  }, orUnavailable)

  const find: UserPreferences["Service"]["find"] = ({ scope, tenantId, userId }, topicId) =>
    Effect.all({
      topicId: Effect.succeed(topicId),
      own: settingOf({ scope, userId, tenantId: nowhere, topicId }),
      inTenant: tenantId === undefined
        ? Effect.succeed(undefined)
        : settingOf({ scope, userId, tenantId, topicId })
    }, { concurrency: "unbounded" })

  // Serialises the writes of one user's topics in one tenant: two that lock the same rows in different orders would
  // deadlock.
  const turn = ({ scope, tenantId, userId }: Place) =>
    sql`select pg_advisory_xact_lock(hashtextextended(${`${tenantId} ${userId}`}, ${scope}))`

  const write = Effect.fnUntraced(function*(
    place: Place,
    overrides: ReadonlyArray<TopicOverride>,
    preference: Statement.Fragment
  ) {
    const { scope, tenantId, userId } = place
    const last = [...new Map(overrides.map((override) => [override.topicId, override])).values()]
    if (last.length === 0) return
    const now = yield* Clock.currentTimeMillis
    const texts = yield* Effect.forEach(last, (override) => encode(override.setting))
    yield* sql`with turn as materialized (${turn(place)})
      insert into user_preferences as p (scope, user_id, tenant_id, topic_id, preference, updated_at)
      select ${scope}, ${userId}, ${tenantId}, topic_id, preference, ${now}
      from turn cross join unnest(${
      last.map(({ topicId }) => topicId)
    }::text[], ${texts}::text[]) as x(topic_id, preference)
      on conflict (scope, user_id, tenant_id, topic_id)
        do update set preference = ${preference}, updated_at = excluded.updated_at`
  })

  const given = sql`excluded.preference`
  const merged = sql`(p.preference::jsonb || excluded.preference::jsonb)::text`

  const replace: UserPreferences["Service"]["replace"] = Effect.fnUntraced(
    function*(owner, overrides, topicIds) {
      const place = placeOf(owner)
      const { scope, tenantId, userId } = place
      // Two calls at once run one after the other: together they would leave the topics of both.
      yield* turn(place)
      const kept = overrides.map(({ topicId }) => topicId)
      const gone = yield* sql`delete from user_preferences
        where scope = ${scope} and user_id = ${userId} and tenant_id = ${tenantId} and topic_id <> all(${kept}::text[])
          and topic_id = any(${topicIds}::text[])
        returning topic_id as "topicId"`.pipe(Effect.flatMap(decodeTopics))
      yield* write(place, overrides, given)
      return gone.map(({ topicId }) => topicId).toSorted()
    },
    sql.withTransaction,
    orUnavailable
  )

  return UserPreferences.of({
    find,
    put: (owner, overrides) => orUnavailable(write(placeOf(owner), overrides, given)),
    merge: (owner, overrides) => orUnavailable(write(placeOf(owner), overrides, merged)),
    replace,
    remove: ({ scope, tenantId = nowhere, userId }, topicId) =>
      sql`delete from user_preferences where scope = ${scope} and user_id = ${userId} and tenant_id = ${tenantId}
        and topic_id = ${topicId}`.pipe(Effect.asVoid, orUnavailable)
  })
})

export const layer = Layer.effect(UserPreferences, make)
