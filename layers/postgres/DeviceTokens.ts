import * as Reachable from "#layers/postgres/devices/Reachable.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as UserLock from "#layers/postgres/statements/UserLock.ts"
import { detailsOf, type Expiry, mostTokens, TokenDetails, TokenProvider, TokenStatus } from "#schemas/DeviceToken.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as DeviceTokenPatch from "#src/people/DeviceTokenPatch.ts"
import { type DeviceToken, DeviceTokens, expiryFrom, TokenNotFound } from "#src/people/DeviceTokens.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const details = Schema.fromJsonString(Schema.toCodecJson(TokenDetails))
const encodeDetails = Schema.encodeEffect(details)

const Row = Schema.Struct({
  token: Schema.String,
  provider: TokenProvider,
  details,
  expires: Schema.NullOr(Schema.Number),
  status: TokenStatus,
  reason: Schema.NullOr(Schema.String)
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const columns = `token, provider, details, expires_at::float8 as expires, status, status_reason as reason`

const tokenOf = ({ expires, reason, ...row }: typeof Row.Type): DeviceToken => ({
  ...row,
  expires: expires ?? false,
  statusReason: reason ?? undefined
})

/** Stands for no expiry in an array of times. Those go as text, since the numbers of an array must have one size. */
const never = "never"

const timeOf = (expires: Expiry): number | null => expires === false ? null : expires

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const listed = Readable.listed("device token", Row)

  const list = Effect.fnUntraced(function*(scope: Scope, userId: UserId) {
    const rows = yield* sql`select ${sql.literal(columns)} from device_tokens
      where scope = ${scope} and user_id = ${userId} order by created_at, token`.pipe(Effect.flatMap(listed))
    return rows.map(tokenOf)
  }, orUnavailable)

  const find = Effect.fnUntraced(function*(scope: Scope, userId: UserId, token: string, lock: boolean) {
    const rows = yield* sql`select ${sql.literal(columns)} from device_tokens
      where scope = ${scope} and token = ${token} and user_id = ${userId} ${sql.literal(lock ? "for update" : "")}`
      .pipe(Effect.flatMap(decode))
    const row = Array.head(rows)
    return Option.isSome(row) ? tokenOf(row.value) : yield* new TokenNotFound({ token })
  })

  const register: DeviceTokens["Service"]["register"] = Effect.fnUntraced(function*(scope, userId, registrations) {
    const now = yield* Clock.currentTimeMillis
    // One row per token, since a statement cannot update a row twice; sorted, so that two statements do not deadlock.
    const rows = [...new Map(registrations.map((one) => [one.token, one.write])).entries()]
      .toSorted(([a], [b]) => a < b ? -1 : 1)
    if (rows.length === 0) return
    const texts = yield* Effect.forEach(rows, ([, write]) => encodeDetails(detailsOf(write)))
    const names = rows.map(([token]) => token)
    const [taken, first] = rows.length > 1
      ? [sql`with locked as materialized (${UserLock.of(sql, scope, userId)})`, sql`locked cross join`]
      : [sql``, sql``]
    yield* sql`${taken} insert into device_tokens as d
        (scope, token, user_id, provider, details, expires_at, status, created_at, updated_at)
      select ${scope}, token, ${userId}, provider, details, nullif(expires_at, ${never})::bigint, 'active', ${now}::bigint, ${now}::bigint
      from ${first} unnest(${names}::text[], ${rows.map(([, write]) => write.provider_key)}::text[],
        ${texts}::text[], ${rows.map(([, write]) => String(timeOf(expiryFrom(write, now)) ?? never))}::text[])
        as x(token, provider, details, expires_at)
      on conflict (scope, token) do update set user_id = excluded.user_id, provider = excluded.provider,
        details = excluded.details, expires_at = excluded.expires_at, status = 'active', status_reason = null,
        created_at = case when d.user_id = excluded.user_id then d.created_at else excluded.created_at end,
        updated_at = excluded.updated_at`
    // The oldest go once the new ones are committed: of several calls at once, the last one sees those of all. None goes
    // that is being written, for which two calls could wait for each other in a circle.
    yield* sql`delete from device_tokens where scope = ${scope} and token in (
      select token from device_tokens where scope = ${scope} and user_id = ${userId} and token in (
        select token from device_tokens
        where scope = ${scope} and user_id = ${userId} and token <> all(${names}::text[])
        order by created_at desc, token desc offset ${Math.max(mostTokens - names.length, 0)}::int)
      for update skip locked)`
  }, orUnavailable)

  const patch: DeviceTokens["Service"]["patch"] = Effect.fnUntraced(
    function*(scope, userId, token, operations) {
      const now = yield* Clock.currentTimeMillis
      const patched = yield* DeviceTokenPatch.apply(yield* find(scope, userId, token, true), operations, now)
      yield* sql`update device_tokens set provider = ${patched.provider},
          details = ${yield* encodeDetails(patched.details)}, expires_at = ${timeOf(patched.expires)}::bigint,
          status = ${patched.status}, status_reason = ${patched.statusReason ?? null}, updated_at = ${now}
        where scope = ${scope} and token = ${token}`
    },
    sql.withTransaction,
    orUnavailable
  )

  const invalidate: DeviceTokens["Service"]["invalidate"] = Effect.fnUntraced(
    function*(scope, provider, token, reason, asOf) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`update device_tokens set status = 'failed', status_reason = ${reason}, updated_at = ${now}
        where scope = ${scope} and token = ${token} and provider = ${provider} and status = 'active'
          and updated_at <= ${asOf ?? Number.MAX_SAFE_INTEGER}::bigint`
    },
    orUnavailable
  )

  return DeviceTokens.of({
    list,
    get: (scope, userId, token) => orUnavailable(find(scope, userId, token, false)),
    register,
    patch,
    remove: (scope, userId, token) =>
      sql`delete from device_tokens where scope = ${scope} and token = ${token} and user_id = ${userId}`.pipe(
        Effect.asVoid,
        orUnavailable
      ),
    reachable: yield* Reachable.make,
    invalidate
  })
})

/** The device tokens on Postgres. */
export const layer = Layer.effect(DeviceTokens, make)
