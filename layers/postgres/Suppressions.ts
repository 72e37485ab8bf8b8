import * as Expired from "#layers/postgres/statements/Expired.ts"
import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SuppressionChannel, SuppressionReason } from "#schemas/Suppression.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as Pages from "#src/paging/Pages.ts"
import {
  type Address,
  freeCounts,
  type Suppression,
  SuppressionNotFound,
  Suppressions,
  timed
} from "#src/people/Suppressions.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Row = Schema.Struct({
  channel: SuppressionChannel,
  address: Schema.String,
  reason: Schema.String,
  provider: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String),
  created: Schema.Number,
  expires: Schema.NullOr(Schema.Number)
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ place: Schema.Number, reason: Schema.String }))
)
const isKnown = Schema.is(SuppressionReason)

/** A reason that another version wrote suppresses too, whatever it says: who may not be sent to stays in peace. */
const reasonOf = (written: string): SuppressionReason => isKnown(written) ? written : "MANUAL"

const columns =
  `channel, address, reason, provider, detail, created_at::float8 as created, expires_at::float8 as expires`

const suppressionOf = ({ detail, expires, provider, reason, ...row }: typeof Row.Type): Suppression => ({
  ...row,
  reason: reasonOf(reason),
  provider: provider ?? undefined,
  detail: detail ?? undefined,
  expires: expires ?? undefined
})

/** `now`, in epoch ms, as the asker has it: numbers of an array have to be of one size, so it goes as text. */
interface Asked extends Address {
  readonly scope: Scope
  readonly now: number
}

/** SQL: the reason of this table's row, as `reasonOf` has it. */
const knownReason = (table: string): string =>
  `case when ${table}.reason = any('{${SuppressionReason.literals.join()}}'::text[]) then ${table}.reason else 'MANUAL' end`

/** SQL: how strong the reason of this table's row is (`replaces`). */
const strengthOf = (table: string): string =>
  `array_position('{${SuppressionReason.literals.join()}}'::text[], ${knownReason(table)})`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const listed = Readable.listed("suppressed address", Row)
  const lives = (now: number) => sql`(expires_at is null or expires_at > ${now}::bigint)`
  const isIt = (scope: Scope, { address, channel }: Address) =>
    sql`scope = ${scope} and channel = ${channel} and address = ${address}`

  const lookup = yield* Lookups.make(
    Effect.fnUntraced(function*(asked: ReadonlyArray<Asked>) {
      const rows = yield* sql`select x.place::int as place, s.reason
        from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ channel }) => channel)}::text[],
          ${asked.map(({ address }) => address)}::text[], ${asked.map(({ now }) => String(now))}::text[])
          with ordinality as x(scope, channel, address, now, place)
        cross join lateral (select reason from suppressions t
          where t.scope = x.scope and t.channel = x.channel and t.address = x.address
            and (t.expires_at is null or t.expires_at > x.now::bigint) limit 1) s`
        .pipe(Effect.flatMap(decodeFound))
      const found = new Map(rows.map(({ place, reason }) => [place - 1, reasonOf(reason)]))
      return asked.map((_, place) => found.get(place))
    })
  )

  /** `replaces`, of rows that are dated, or are not. */
  const replacing = (isDated: boolean) => {
    const isLater = isDated ? sql`excluded.created_at > held.created_at` : sql`true`
    return sql`(held.expires_at is not null and ${isLater}
        or ${sql.literal(strengthOf("excluded"))} > ${sql.literal(strengthOf("held"))})
      ${isDated ? sql`and excluded.created_at > coalesce(held.freed_at, -1)` : sql``}`
  }

  const put = Effect.fnUntraced(function*(scope: Scope, rows: ReturnType<typeof timed>, isDated: boolean) {
    if (rows.length === 0) return false
    const changed = yield* sql`insert into suppressions as held
        (scope, channel, address, reason, provider, detail, created_at, expires_at)
      select ${scope}, channel, address, reason, provider, detail, created, expires
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as x(channel text, address text, reason text, provider text, detail text, created bigint, expires bigint)
      on conflict (scope, channel, address) do update set reason = excluded.reason, provider = excluded.provider,
        detail = excluded.detail, created_at = excluded.created_at, expires_at = excluded.expires_at
        where ${replacing(isDated)}
      returning 1`
    return changed.length > 0
  })

  const add: Suppressions["Service"]["add"] = Effect.fnUntraced(function*(scope, all) {
    const rows = timed(all, yield* Clock.currentTimeMillis)
    const changed = yield* put(scope, rows.filter((row) => !row.isDated), false)
    return (yield* put(scope, rows.filter((row) => row.isDated), true)) || changed
  }, orUnavailable)

  const get: Suppressions["Service"]["get"] = Effect.fnUntraced(function*(scope, one) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`select ${sql.literal(columns)} from suppressions where ${isIt(scope, one)} and ${
      lives(now)
    }`
      .pipe(Effect.flatMap(decode))
    const row = Array.head(rows)
    return Option.isSome(row)
      ? suppressionOf(row.value)
      : yield* new SuppressionNotFound({ address: one.address })
  }, orUnavailable)

  const list: Suppressions["Service"]["list"] = Effect.fnUntraced(function*(scope, { channel, cursor, limit, reason }) {
    const sealed: Cursor.List = { scope, route: "suppressions", filters: [channel ?? null, reason ?? null] }
    const before = yield* Pages.after(cursors, sealed, cursor)
    const now = yield* Clock.currentTimeMillis
    const { end, rows } = yield* PageBytes.read(sql, {
      as: "suppressions",
      columns: sql.literal(columns),
      looked: sql`select *, coalesce(octet_length(detail), 0) as bytes from suppressions
        where scope = ${scope} and ${lives(now)}
          ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
          ${reason === undefined ? sql`` : sql`and reason = ${reason}`}
          ${before === undefined ? sql`` : sql`and (created_at, address) < (${before.at}::bigint, ${before.id})`}`,
      by: { at: "created_at", id: "address" },
      descending: true,
      limit,
      decode: listed
    })
    return Pages.upTo(cursors, sealed, rows.map(suppressionOf), end)
  }, orUnavailable)

  const remove: Suppressions["Service"]["remove"] = Effect.fnUntraced(function*(scope, one) {
    const now = yield* Clock.currentTimeMillis
    const gone = yield* sql`update suppressions set expires_at = ${now}::bigint, detail = null,
      freed_at = greatest(${now}::bigint, created_at) where ${isIt(scope, one)} and ${lives(now)} returning 1`
    if (gone.length === 0) return yield* new SuppressionNotFound({ address: one.address })
  }, orUnavailable)

  const sweep: Suppressions["Service"]["sweep"] = Effect.fn("Suppressions.sweep")(
    Expired.sweeping(
      sql,
      "suppressions",
      (now) => sql`(freed_at is null or freed_at <= ${now - freeCounts}::bigint)`
    ),
    orUnavailable
  )

  return Suppressions.of({
    reason: (scope, { address, channel }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => lookup({ scope, address, channel, now })),
    add,
    get,
    list,
    remove,
    sweep
  })
})

/** The suppressed addresses on Postgres. */
export const layer = Layer.effect(Suppressions, make)
