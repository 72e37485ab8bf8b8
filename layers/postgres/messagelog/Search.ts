import { dayOf, firstDay } from "#layers/postgres/days/Partitions.ts"
import * as Filters from "#layers/postgres/messagelog/Filters.ts"
import * as Records from "#layers/postgres/messagelog/Records.ts"
import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Turns from "#src/fibers/Turns.ts"
import { unless } from "#src/fibers/Unless.ts"
import type { MessageQuery, MessageRecord } from "#src/reports/MessageLog.ts"
import { Clock, Context, Duration, Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * How far one page of a search goes. Any number of messages that do not match may come before one that does, and a
 * caller waits for 2 s: after `time`, the search answers what it found and where it stopped. It looks through `first`
 * messages at first, which fills most pages, then through `next` at a time.
 */
export const Pace = Context.Reference<{
  readonly time: Duration.Input
  readonly first: number
  readonly next: number
}>("tidings/postgres/messagelog/Pace", {
  defaultValue: () => ({ time: "1 second", first: 1_000, next: 50_000 })
})

/**
 * How many pages are looked for at once, and how many of those whose first stretch was not enough go on. A filter that
 * finds little takes a second, and as many callers as there are sessions would take them all, from the sends and from the
 * engine. Nobody waits behind such a search whose own page is soon found.
 */
const looks = 2
const searches = 2

/**
 * The newest messages that match. Messages before `reached` have not been looked through yet; `undefined`: there are no
 * more.
 */
export interface Found {
  readonly rows: ReadonlyArray<MessageRecord>
  readonly reached: string | undefined
}

/** What was found in some time. `isOver`: nothing is left to be looked for, or the page is full. */
interface Looked extends Found {
  readonly isOver: boolean
}

/** What is looked for at a time: so many rows, among stretches of so many, until then (monotonic, in ns). */
interface Stint {
  readonly count: number
  readonly until: bigint
  readonly wanted: number
}

/** Whether an index finds what the query names, however many other messages there are. */
const isIndexed = ({ list, messageId, recipient, traceId, userId }: MessageQuery): boolean =>
  [list, messageId, recipient, traceId, userId].some((name) => name !== undefined)

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: MessageId })))

/** In ms, how long the first day that was found counts. Retention only makes it younger, and no day is before it then. */
const counts = 3_600_000

const decodeFirst = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ first: Schema.NullOr(Schema.String) })]))
const decodeSlowest = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.NullOr(MessageId) })))

/** Looks for up to `wanted` messages of a query, the newest first, before an id. */
export const make = (sql: SqlClient.SqlClient, records: ReturnType<typeof Records.of>) => {
  const listed = Readable.listed("message", Records.Row)

  /** Runs without JIT: for a filter that finds little, it compiled each partition: 2 s, where the scan took 0.1 s. */
  const interpreted = <A, E, R>(statement: Effect.Effect<A, E, R>) =>
    sql.withTransaction(Effect.andThen(sql`set local jit = off`, statement))

  /** In the order of the ids, where no other index finds more: of a day of which nothing is known, all would be sorted. */
  const ordered = inOrder(sql)

  const [looking, searching] = [Turns.make(looks), Turns.make(searches)]

  /** Where a stretch of so many rows ends, of those that an index finds; `undefined` if there are not as many. */
  const nth = Effect.fnUntraced(function*(scope: Scope, query: MessageQuery, span: Filters.Span, count: number) {
    const one = { columns: "id", limit: 1, offset: count - 1, isRough: true }
    const rows = yield* sql`select m.id from ${Filters.newest(sql, scope, Filters.named(query), span, one)}`.pipe(
      Effect.flatMap(decodeIds)
    )
    return rows[0]?.id
  })

  const lowestOf = Effect.fnUntraced(function*(scope: Scope, enqueuedAfter: number) {
    const [first] = yield* Filters.slowest(sql, scope, enqueuedAfter).pipe(Effect.flatMap(decodeSlowest))
    return first === undefined || first.id === null ? Filters.lowest(enqueuedAfter) : Ids.origin(first.id)
  })

  /** Those of a span, or fewer: the name of an event may be as long as a request. */
  const newest = (scope: Scope, query: MessageQuery, span: Filters.Span, limit: number) =>
    PageBytes.read(sql, {
      as: "m",
      columns: sql.literal(Records.columns),
      looked: sql`select m.*, octet_length(m.event) + coalesce(octet_length(m.error), 0) as bytes
        from (select m.* from ${Filters.newest(sql, scope, query, span, { limit })}) m`,
      by: { id: "id" },
      descending: true,
      limit,
      decode: (rows) => Effect.flatMap(listed(rows), (found) => records(scope, found))
    })

  let known: { readonly oldest: number; readonly at: number } | undefined
  /** When the first day began (epoch ms). */
  const oldestAt = Effect.fnUntraced(function*(now: number) {
    if (known === undefined || Math.abs(now - known.at) > counts) {
      const [{ first }] = yield* decodeFirst(yield* sql`select ${sql.literal(firstDay)} as first`)
      known = { oldest: dayOf(first)?.epochMilliseconds ?? now, at: now }
    }
    return known.oldest
  })

  /** Looks in stretches of so many rows, the first one in any case, until a time (monotonic, in ns). */
  const lookIn = Effect.fnUntraced(function*(
    scope: Scope,
    query: MessageQuery,
    spans: ReadonlyArray<Filters.Span>,
    { count, until, wanted }: Stint
  ): Effect.fn.Return<Looked, SqlError.SqlError | Schema.SchemaError> {
    const rows: Array<MessageRecord> = []
    const found = (reached?: string): Looked => ({ rows, reached, isOver: true })
    // One message is soon found, and so are those of a list: no row is looked at that was not sent to it.
    const isPaced = query.messageId === undefined && (query.list === undefined || Filters.isSparse(query))
    for (const span of spans) {
      for (let rest: Filters.Span | undefined = span; rest !== undefined;) {
        const last: MessageId | undefined = isPaced ? yield* nth(scope, query, rest, count) : undefined
        const stretch: Filters.Span = { before: rest.before, from: last ?? rest.from }
        const limit = wanted - rows.length
        const page = yield* newest(scope, query, stretch, limit)
        rows.push(...page.rows)
        if (rows.length >= wanted) return found()
        // Of as many as were looked for some were left out: more may come behind the last one.
        const end = page.end ?? (page.read === limit ? page.last : undefined)
        if (end !== undefined) return found(end.id)
        if (last !== undefined && (yield* Clock.monotonicTimeNanos) >= until) {
          return { rows, reached: last, isOver: false }
        }
        rest = last && { from: rest.from, before: last }
      }
    }
    return found()
  })

  /** The same, from the newest days on to ever older ones. */
  const look = Effect.fnUntraced(function*(
    scope: Scope,
    query: MessageQuery,
    { before, from: lowest }: Filters.Span,
    { count, until, wanted }: Stint
  ): Effect.fn.Return<Looked, SqlError.SqlError | Schema.SchemaError> {
    const inTransaction = isIndexed(query) ? interpreted : ordered
    const now = yield* Clock.currentTimeMillis
    const rows: Array<MessageRecord> = []
    for (const spans of Filters.spans(query, { before, lowest, now, oldest: yield* oldestAt(now) })) {
      const left = { count, until, wanted: wanted - rows.length }
      const looked = yield* inTransaction(lookIn(scope, query, spans, left))
      rows.push(...looked.rows)
      if (looked.reached !== undefined || rows.length >= wanted) return { ...looked, rows }
      const reached = spans.at(-1)?.from
      if (reached !== lowest && (yield* Clock.monotonicTimeNanos) >= until) return { rows, reached, isOver: false }
    }
    return { rows, reached: undefined, isOver: true }
  })

  return Effect.fnUntraced(function*(scope: Scope, query: MessageQuery, before: string | undefined, wanted: number) {
    const { first, next, time } = yield* Pace
    const arrived = yield* Clock.monotonicTimeNanos
    const until = arrived + Duration.toNanosUnsafe(time)
    const turn = { lane: "", whose: String(scope) }
    const soon = yield* Effect.gen(function*() {
      const from = query.enqueuedAfter === undefined ? undefined : yield* lowestOf(scope, query.enqueuedAfter)
      const looked = yield* look(scope, query, { before, from }, { count: first, until: arrived, wanted })
      return { from, looked }
    }).pipe(looking.inTurn(turn))
    const { from, looked } = soon
    const left = Number(until - (yield* Clock.monotonicTimeNanos)) / 1e6
    if (looked.isOver || left <= 0) return looked
    const stays: Found = looked
    return yield* unless(
      searching.inTurn(turn),
      look(scope, query, { before: looked.reached, from }, { count: next, until, wanted: wanted - looked.rows.length })
        .pipe(Effect.map(({ reached, rows }): Found => ({ rows: [...looked.rows, ...rows], reached }))),
      [{ once: Effect.sleep(left), instead: Effect.succeed(stays) }]
    )
  })
}
