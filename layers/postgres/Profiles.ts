import * as InPieces from "#layers/postgres/statements/InPieces.ts"
import * as Locked from "#layers/postgres/statements/Locked.ts"
import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as UserLock from "#layers/postgres/statements/UserLock.ts"
import * as Members from "#layers/postgres/tenants/Members.ts"
import { isObject, valueAt } from "#schemas/Json.ts"
import { RecipientPreferences } from "#schemas/Preferences.ts"
import { Profile, type UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import {
  documentOf,
  longestProfile,
  type Person,
  ProfileNotFound,
  Profiles,
  ProfileTooLong
} from "#src/people/Profiles.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Accepts every JSON object: only text that is not one fails to decode. */
const ProfileText = Schema.fromJsonString(Profile)
const encodeProfile = Schema.encodeEffect(ProfileText)
const decodeProfile = Schema.decodeUnknownEffect(ProfileText)
const decodePreferences = Schema.decodeUnknownEffect(Schema.fromJsonString(RecipientPreferences))
const Text = Schema.NullOr(Schema.String)
const Found = Schema.Struct({ place: Schema.Number, profile: Text, preferences: Text })
const decodeFound = Schema.decodeUnknownEffect(Schema.Array(Found))
const decodeLocked = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ profile: Schema.String })))

const decodeTokens = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ token: Schema.String })))
const decodeSpan = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ first: Text, last: Text })]))

const nobody: Person = { profile: Option.none(), preferences: undefined }

const decodePerson = Effect.fnUntraced(function*({ preferences, profile }: typeof Found.Type) {
  return {
    profile: profile === null ? Option.none() : Option.some(yield* decodeProfile(profile)),
    preferences: preferences === null ? undefined : yield* decodePreferences(preferences)
  }
}, orUnavailable)

/** A row whose text was spoilt is a defect of the one call that asks for it: `JSON.parse` throws here. */
const documentOfRow = ({ preferences, profile }: typeof Found.Type): Effect.Effect<Option.Option<string>> => {
  if (profile === null) return Effect.succeedNone
  const text = documentOf(profile, preferences)
  return Effect.suspend(() =>
    isObject(valueAt(JSON.parse(text), ["profile"]))
      ? Effect.succeedSome(text)
      : Effect.die("A stored profile is no JSON object")
  )
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Looks up each row by its key. With a plain join, the planner reads the whole table if it estimates it to be small.
  const lookup = yield* Lookups.make(
    Effect.fnUntraced(function*(asked: ReadonlyArray<{ readonly scope: Scope; readonly userId: UserId }>) {
      const rows = yield* sql`select x.place::int as place, p.profile, r.preferences
        from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ userId }) => userId)}::text[])
          with ordinality as x(scope, user_id, place)
        left join lateral (select profile from profiles p where p.scope = x.scope and p.user_id = x.user_id limit 1) p on true
        left join lateral (select preferences from recipient_preferences r
          where r.scope = x.scope and r.user_id = x.user_id limit 1) r on true
        where p.profile is not null or r.preferences is not null`.pipe(Effect.flatMap(decodeFound))
      const found = new Map(rows.map((row) => [row.place - 1, row]))
      return asked.map((_, place) => found.get(place))
    })
  )

  /** A row that does not decode fails alone. */
  const person = (scope: Scope, userId: UserId) =>
    Effect.flatMap(lookup({ scope, userId }), (row) => row === undefined ? Effect.succeed(nobody) : decodePerson(row))

  const document: Profiles["Service"]["document"] = (scope, userId) =>
    Effect.flatMap(lookup({ scope, userId }), (row) => row === undefined ? Effect.succeedNone : documentOfRow(row))

  const asOf: Profiles["Service"]["asOf"] = Effect.fnUntraced(function*(scope, userId, at) {
    const rows = yield* sql`select profile from profiles
      where scope = ${scope} and user_id = ${userId} and updated_at <= ${at}::bigint`.pipe(Effect.flatMap(decodeLocked))
    const [row] = rows
    return row === undefined ? Option.none() : Option.some(yield* decodeProfile(row.profile))
  }, orUnavailable)

  /** The stored profile, whose row is locked until the change commits. */
  const locked = Effect.fnUntraced(function*(scope: Scope, userId: UserId) {
    const rows = yield* sql`select profile from profiles where scope = ${scope} and user_id = ${userId} for update`
    return Option.map(Array.head(yield* decodeLocked(rows)), ({ profile }) => profile)
  })

  const store = Effect.fnUntraced(function*(scope: Scope, userId: UserId, before: string, profile: Profile) {
    const text = yield* encodeProfile(profile)
    if (text === before) return
    if (text.length > longestProfile) return yield* new ProfileTooLong()
    const now = yield* Clock.currentTimeMillis
    yield* sql`update profiles set profile = ${text}, updated_at = ${now}
      where scope = ${scope} and user_id = ${userId}`
  })

  const replace = Effect.fnUntraced(function*(scope: Scope, userId: UserId, profile: Profile) {
    const text = yield* encodeProfile(profile)
    const now = yield* Clock.currentTimeMillis
    yield* sql`insert into profiles as p (scope, user_id, profile, created_at, updated_at)
      values (${scope}, ${userId}, ${text}, ${now}, ${now})
      on conflict (scope, user_id) do update set profile = excluded.profile, updated_at = excluded.updated_at
        where p.profile <> excluded.profile`
  }, orUnavailable)

  const merge: Profiles["Service"]["merge"] = Effect.fnUntraced(
    function*(scope, userId, change) {
      let before = yield* locked(scope, userId)
      if (Option.isNone(before)) {
        const now = yield* Clock.currentTimeMillis
        // On conflict, with a row that came meanwhile, this locks it and changes nothing.
        const made = yield* sql`insert into profiles as p (scope, user_id, profile, created_at, updated_at)
          values (${scope}, ${userId}, ${yield* encodeProfile(change)}, ${now}, ${now})
          on conflict (scope, user_id) do update set profile = p.profile where false returning 1`
        if (made.length > 0) return
        before = yield* locked(scope, userId)
      }
      const text = yield* Effect.orDie(Effect.fromOption(before))
      yield* store(scope, userId, text, ProfileChange.merge(yield* decodeProfile(text), change))
    },
    sql.withTransaction,
    orUnavailable
  )

  const patch: Profiles["Service"]["patch"] = Effect.fnUntraced(
    function*(scope, userId, operations) {
      const before = yield* locked(scope, userId)
      if (Option.isNone(before)) return yield* new ProfileNotFound({ userId })
      const text = before.value
      yield* store(scope, userId, text, yield* ProfileChange.patch(yield* decodeProfile(text), operations))
    },
    sql.withTransaction,
    orUnavailable
  )

  /**
   * Forgets the tickets of pushes to the user, which hold tokens, in the order in which `PushTickets` locks them; looks
   * no further than messages that may have some.
   */
  const removeTickets = Effect.fnUntraced(function*(scope: Scope, userId: UserId) {
    const [{ first, last }] = yield* sql`select min(message_id) as first, max(message_id) as last from push_tickets
      where scope = ${scope}`.pipe(Effect.flatMap(decodeSpan))
    if (first === null) return
    const found = sql`select t.ctid from (
        select id from messages where scope = ${scope} and recipient_name = ${userId}
          and recipient_key = ${Recipients.userKey(scope, userId)} and id >= ${first} and id <= ${last} order by id) m
      cross join lateral (
        select ctid from push_tickets where scope = ${scope} and message_id = m.id order by number for update) t`
    yield* Locked.rows(sql, found, (rows) => sql`delete from push_tickets where ${rows}`)
  })

  // Memberships in pieces, each of which locks its rows in the order in which `Memberships.put` does. Devices in that of
  // `DeviceTokens.register`, by which they may become another user's.
  const remove: Profiles["Service"]["remove"] = Effect.fnUntraced(
    function*(scope, userId) {
      const now = yield* Clock.currentTimeMillis
      yield* UserLock.of(sql, scope, userId)
      const walk = yield* InPieces.opened(
        sql,
        sql`select tenant_id as key from tenant_users
          where scope = ${scope} and user_id = ${userId} and profile is not null order by tenant_id`
      )
      yield* walk((tenantIds) =>
        Locked.rows(
          sql,
          Members.rowsIn(sql, scope, userId, tenantIds),
          (rows) => sql`update tenant_users set profile = null, updated_at = ${now} where ${rows}`
        )
      )
      // Those that are locked here and no others: one that is registered meanwhile would be locked after later ones.
      const tokens = yield* sql`select token from device_tokens where scope = ${scope} and user_id = ${userId}
        order by token for update`.pipe(Effect.flatMap(decodeTokens))
      yield* sql`delete from device_tokens where scope = ${scope} and user_id = ${userId}
        and token = any(${tokens.map(({ token }) => token)}::text[])`
      yield* sql`delete from profiles where scope = ${scope} and user_id = ${userId}`
      yield* removeTickets(scope, userId)
    },
    sql.withTransaction,
    orUnavailable
  )

  return Profiles.of({
    find: (scope, userId) => Effect.map(person(scope, userId), ({ profile }) => profile),
    person,
    document,
    asOf,
    replace,
    merge,
    patch,
    remove
  })
})

export const layer = Layer.effect(Profiles, make)
