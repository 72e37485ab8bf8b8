import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { TopicSetting } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { type TopicOverride, type TopicOverrides, UserPreferences } from "#src/people/UserPreferences.ts"
import { Clock, Context, Effect, Layer, Request, RequestResolver, Schema } from "effect"
import { SqlClient } from "effect/sql"

const setting = Schema.fromJsonString(TopicSetting)
const encode = Schema.encodeEffect(setting)
const decode = Schema.decodeEffect(setting)

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ topicId: Schema.String, setting })))
const decodeTopics = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ topicId: Schema.String })))
const decodeFound = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  scope: Scope,
  userId: UserId,
  tenantId: Schema.String,
  topicId: Schema.String,
  preference: Schema.String
})))

/** What is said outside of any tenant is kept under the one that has no name. */
const nowhere = ""

const maxBatch = 500

interface Asked {
  readonly scope: Scope
  readonly userId: UserId
  readonly tenantId: string | undefined
  readonly topicId: string
}

class Find extends Request.Class<Asked, TopicOverrides, StoreUnavailable> {}

const nameOf = (row: { readonly [K in keyof Asked]: string | number | undefined }): string =>
  JSON.stringify([row.scope, row.userId, row.tenantId ?? nowhere, row.topicId])

/**
 * The lookups of one turn as one statement; those of a transaction stay on its connection. A row that does not decode
 * fails alone.
 */
const finder = (sql: SqlClient.SqlClient) =>
  RequestResolver.makeWith<Find>({
    batchKey: (entry) => Context.getOrUndefined(entry.context, sql.transactionService)?.[0],
    delay: Effect.yieldNow,
    collectWhile: (entries) => entries.size < maxBatch,
    runAll: Effect.fnUntraced(function*(entries) {
      const asked = entries.flatMap(({ request: { scope, tenantId, topicId, userId } }) =>
        (tenantId === undefined ? [nowhere] : [nowhere, tenantId]).map((tenantId) => ({
          scope,
          userId,
          tenantId,
          topicId
        }))
      )
      const rows = yield* sql`select p.scope, p.user_id as "userId", p.tenant_id as "tenantId", p.topic_id as "topicId",
          p.preference
        from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ userId }) => userId)}::text[],
          ${asked.map(({ tenantId }) => tenantId)}::text[], ${asked.map(({ topicId }) => topicId)}::text[])
          as x(scope, user_id, tenant_id, topic_id)
        join user_preferences p using (scope, user_id, tenant_id, topic_id)`.pipe(
        Effect.flatMap(decodeFound),
        orUnavailable
      )
      const found = new Map(rows.map((row) => [nameOf(row), row.preference]))
      const at = (asked: Asked) => {
        const text = found.get(nameOf(asked))
        return text === undefined ? Effect.succeed(undefined) : orUnavailable(decode(text))
      }
      yield* Effect.forEach(entries, (entry) => {
        const { scope, tenantId, topicId, userId } = entry.request
        return Effect.all({
          own: at({ scope, userId, tenantId: undefined, topicId }),
          inTenant: tenantId === undefined ? Effect.succeed(undefined) : at({ scope, userId, tenantId, topicId })
        }).pipe(
          Effect.map((overrides) => ({ ...overrides, topicId })),
          Effect.exit,
          Effect.map((exit) => entry.completeUnsafe(exit))
        )
      }, { discard: true })
    })
  })

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const resolver = finder(sql)

  const list: UserPreferences["Service"]["list"] = (scope, userId, tenantId = nowhere) =>
    sql`select topic_id as "topicId", preference as setting from user_preferences
      where scope = ${scope} and user_id = ${userId} and tenant_id = ${tenantId} order by topic_id`.pipe(
      Effect.flatMap(decodeRows),
      orUnavailable
    )

  /** In the order of the keys, so that two writes of the same topics do not wait for each other. */
  const write = Effect.fnUntraced(function*(
    scope: Scope,
    userId: UserId,
    tenantId: string,
    overrides: ReadonlyArray<TopicOverride>
  ) {
    const last = [...new Map(overrides.map((override) => [override.topicId, override])).values()]
    if (last.length === 0) return
    const now = yield* Clock.currentTimeMillis
    const texts = yield* Effect.forEach(last, (override) => encode(override.setting))
    yield* sql`insert into user_preferences (scope, user_id, tenant_id, topic_id, preference, updated_at)
      select ${scope}, ${userId}, ${tenantId}, topic_id, preference, ${now}
      from unnest(${last.map(({ topicId }) => topicId)}::text[], ${texts}::text[]) as x(topic_id, preference)
      order by topic_id collate "C"
      on conflict (scope, user_id, tenant_id, topic_id)
        do update set preference = excluded.preference, updated_at = excluded.updated_at`
  })

  const replace: UserPreferences["Service"]["replace"] = Effect.fnUntraced(
    function*(scope, userId, tenantId = nowhere, overrides) {
      // Of two at once one comes after the other: together they would leave the topics of both.
      yield* sql`select pg_advisory_xact_lock(hashtextextended(${`${tenantId} ${userId}`}, ${scope}))`
      const kept = overrides.map(({ topicId }) => topicId)
      const gone = yield* sql`delete from user_preferences
        where scope = ${scope} and user_id = ${userId} and tenant_id = ${tenantId} and topic_id <> all(${kept}::text[])
        returning topic_id as "topicId"`.pipe(Effect.flatMap(decodeTopics))
      yield* write(scope, userId, tenantId, overrides)
      return gone.map(({ topicId }) => topicId).toSorted()
    },
    sql.withTransaction,
    orUnavailable
  )

  return UserPreferences.of({
    list,
    find: (scope, userId, tenantId, topicId) =>
      Effect.request(new Find({ scope, userId, tenantId, topicId }), resolver),
    put: (scope, userId, tenantId = nowhere, overrides) => orUnavailable(write(scope, userId, tenantId, overrides)),
    replace,
    remove: (scope, userId, tenantId = nowhere, topicId) =>
      sql`delete from user_preferences where scope = ${scope} and user_id = ${userId} and tenant_id = ${tenantId}
        and topic_id = ${topicId}`.pipe(Effect.asVoid, orUnavailable)
  })
})

export const layer = Layer.effect(UserPreferences, make)
