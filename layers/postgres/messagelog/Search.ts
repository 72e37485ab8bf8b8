import * as Filters from "#layers/postgres/messagelog/Filters.ts"
import * as Records from "#layers/postgres/messagelog/Records.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import type { MessageQuery, MessageRecord } from "#src/reports/MessageLog.ts"
import { Clock, Context, Duration, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

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
  defaultValue: () => ({ time: "1 second", first: 1_000, next: 250_000 })
})

/**
 * The newest messages that match. Messages before `reached` have not been looked through yet; `undefined`: there are no
 * more.
 */
export interface Found {
  readonly rows: ReadonlyArray<MessageRecord>
  readonly reached: string | undefined
}

/** Whether an index finds what the query names, however many other messages there are. */
export const isIndexed = ({ list, messageId, recipient, traceId, userId }: MessageQuery): boolean =>
  [list, messageId, recipient, traceId, userId].some((name) => name !== undefined)

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: MessageId })))

const decodeSlowest = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.NullOr(MessageId) })))

/** Looks for up to `wanted` messages of a query, the newest first, before an id. */
export const make = (sql: SqlClient.SqlClient, records: ReturnType<typeof Records.of>) => {
  const listed = Readable.listed("message", Records.Row)

  const nth = Effect.fnUntraced(function*(scope: Scope, span: Filters.Span, count: number) {
    const rows = yield* sql`select m.id from messages m where ${Filters.within(sql, scope, span)}
      order by m.id desc offset ${count - 1}::int limit 1`.pipe(Effect.flatMap(decodeIds))
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
        from (select m.* from ${Filters.newest(sql, scope, query, span, limit)}) m`,
      by: { id: "id" },
      descending: true,
      limit,
      decode: (rows) => Effect.flatMap(listed(rows), (found) => records(scope, found))
    })

  return Effect.fnUntraced(function*(scope: Scope, query: MessageQuery, before: string | undefined, wanted: number) {
    const { first, next, time } = yield* Pace
    const until = (yield* Clock.monotonicTimeNanos) + Duration.toNanosUnsafe(time)
    const rows: Array<MessageRecord> = []
    const found = (reached?: string): Found => ({ rows, reached })
    let count = first
    const lowest = query.enqueuedAfter === undefined ? undefined : yield* lowestOf(scope, query.enqueuedAfter)
    for (const span of Filters.spans(query, { before, lowest, now: yield* Clock.currentTimeMillis })) {
      for (let rest: Filters.Span | undefined = span; rest !== undefined;) {
        const last: MessageId | undefined = isIndexed(query) ? undefined : yield* nth(scope, rest, count)
        const stretch: Filters.Span = { before: rest.before, from: last ?? rest.from }
        const limit = wanted - rows.length
        const page = yield* newest(scope, query, stretch, limit)
        rows.push(...page.rows)
        if (rows.length >= wanted) return found()
        // Of as many as were looked for some were left out: more may come behind the last one.
        const end = page.end ?? (page.read === limit ? page.last : undefined)
        if (end !== undefined) return found(end.id)
        if (last !== undefined && (yield* Clock.monotonicTimeNanos) >= until) return found(last)
        rest = last && { from: rest.from, before: last }
        if (last !== undefined) count = next
      }
    }
    return found()
  })
}
