import * as IdBounds from "#layers/postgres/statements/IdBounds.ts"
import * as Expired from "#layers/postgres/statements/Expired.ts"
import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import {
  count,
  type Counted,
  type CountName,
  keptUntil,
  nameOf,
  SendCounts,
  type Taken
} from "#src/flows/SendCounts.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Used = Schema.Struct({ place: Schema.Int, used: Schema.Number })
const decodeUsed = Schema.decodeUnknownEffect(Schema.Array(Used))

const Message = Schema.Struct({ scope: Scope, id: MessageId, counted: Schema.NullOr(Schema.Boolean) })
const decodeMessages = Schema.decodeUnknownEffect(Schema.Array(Message))

const columnTypes =
  `place int, scope int, per text, period text, subject text, starts_at bigint, expires_at bigint, used bigint`

interface Place extends CountName {
  readonly scope: Scope
}

/** The rows of these counts, by their places. */
const rowsOf = (places: ReadonlyArray<Place>, used?: (place: Place) => number) =>
  places.map((one, place) => ({
    place,
    scope: one.scope,
    per: one.per,
    period: one.period,
    subject: one.subject,
    starts_at: one.from,
    expires_at: keptUntil(one),
    used: used?.(one)
  }))

const messageName = ({ messageId, scope }: Pick<Counted, "messageId" | "scope">): string => `${scope} ${messageId}`

/** Each count once, under its name. */
const placesOf = (asked: ReadonlyArray<Counted>): ReadonlyMap<string, Place> =>
  new Map(asked.flatMap(({ counts, scope }) => counts.map((one) => [nameOf(scope, one), { ...one, scope }] as const)))

/** Longer than any caller waits for the answer (`Patience.callers`). */
const longestPause = "3s"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Embedded, nobody else waits, and PGlite never comes back from this timeout, which a suspended machine would run into.
  const pause = (yield* Lookups.AtOnce) === 1 ? "0" : longestPause

  /**
   * Makes the counts that are new, locks all of them, and tells how far they are. In one order, in which two who lock
   * some of the same cannot deadlock. What is locked by the same statement that reads it is read as it is by then.
   *
   * All messages of an environment may wait for one count. A node that stands still while it has the lock loses it after
   * `longestPause`, behind a pooler too, which takes no session's word for it (`Sessions`).
   */
  const locked = Effect.fnUntraced(function*(places: ReadonlyArray<Place>) {
    const rows = yield* sql`with x as (select * from json_to_recordset(${JSON.stringify(rowsOf(places))}::json)
        as x(${sql.literal(columnTypes)})),
      held as (insert into send_counts as c (scope, per, period, subject, starts_at, used, expires_at)
        select scope, per, period, subject, starts_at, 0, expires_at from x
        order by scope, per collate "C", period collate "C", subject collate "C", starts_at
        on conflict (scope, per, period, subject, starts_at) do update set used = c.used
        returning scope, per, period, subject, starts_at, used)
      select x.place, held.used::float8 as used,
        (select set_config('idle_in_transaction_session_timeout', ${pause}, true)) as patience
      from x join held using (scope, per, period, subject, starts_at)`
    return yield* decodeUsed(rows)
  })

  /**
   * Locks the messages that are stored, and tells whether they were counted before. The locked counts alone would not
   * keep another owner from counting one meanwhile: in an hour that has just begun, or by limits that have just changed,
   * it goes into others. In the order of their ids (`Rename`).
   */
  const messages = Effect.fnUntraced(function*(asked: ReadonlyArray<Counted>) {
    const ids = asked.map(({ messageId }) => messageId)
    const [lowest, highest] = IdBounds.of(ids)
    const rows = yield* sql`select m.scope, m.id, m.counted
      from unnest(${asked.map(({ scope }) => scope)}::int[], ${ids}::text[]) as x(scope, id)
      join messages m on m.scope = x.scope and m.id = x.id and m.id between ${lowest} and ${highest}
      order by m.id for no key update of m`
    const found = yield* decodeMessages(rows)
    return new Map(found.map(({ counted, id, scope }) => [messageName({ scope, messageId: id }), counted === true]))
  })

  /** Stores how far the counts have come, and marks the messages. */
  const write = (places: ReadonlyArray<Place>, used: ReadonlyMap<string, number>, counted: ReadonlyArray<Counted>) => {
    const ids = counted.map(({ messageId }) => messageId)
    const [lowest, highest] = IdBounds.of(ids)
    const rows = rowsOf(places, (one) => used.get(nameOf(one.scope, one)) ?? 0)
    return sql`with marked as (update messages m set counted = true
        from unnest(${counted.map(({ scope }) => scope)}::int[], ${ids}::text[]) as x(scope, id)
        where m.scope = x.scope and m.id = x.id and m.id between ${lowest} and ${highest})
      update send_counts c set used = x.used
      from json_to_recordset(${JSON.stringify(rows)}::json) as x(${sql.literal(columnTypes)})
      where c.scope = x.scope and c.per = x.per and c.period = x.period and c.subject = x.subject
        and c.starts_at = x.starts_at`
  }

  const takeAll = Effect.fnUntraced(function*(asked: ReadonlyArray<Counted>) {
    const places = placesOf(asked)
    const names = [...places.keys()]
    const all = [...places.values()]
    const used = new Map((yield* locked(all)).map(({ place, used }) => [names[place] ?? "", used]))
    const known = yield* messages(asked)
    const fresh: Array<Counted> = []
    const taken = asked.map((one): Taken => {
      const wasCounted = known.get(messageName(one))
      if (wasCounted === undefined) return { _tag: "Absent" }
      if (wasCounted) return { _tag: "Counted" }
      const now = count(used, one)
      if (now._tag === "Counted") {
        known.set(messageName(one), true)
        fresh.push(one)
      }
      return now
    })
    if (fresh.length > 0) yield* write(all, used, fresh)
    return taken
  }, sql.withTransaction)

  const used: SendCounts["Service"]["used"] = Effect.fnUntraced(function*(scope, counts) {
    const rows = yield* sql`select x.place, c.used::float8 as used
      from json_to_recordset(${JSON.stringify(rowsOf(counts.map((one) => ({ ...one, scope }))))}::json)
        as x(${sql.literal(columnTypes)})
      join send_counts c using (scope, per, period, subject, starts_at)`
    const found = new Map((yield* decodeUsed(rows)).map(({ place, used }) => [place, used]))
    return counts.map((_, place) => found.get(place) ?? 0)
  }, orUnavailable)

  const swept = Expired.sweeping(sql, "send_counts")
  return SendCounts.of({
    take: yield* Lookups.make(takeAll),
    used,
    sweep: (limit) => orUnavailable(swept(limit))
  })
})

/** The counts of send limits in Postgres. */
export const layer = Layer.effect(SendCounts, make)
