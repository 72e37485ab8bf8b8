import type { Table } from "#layers/postgres/move/Tables.ts"
import { Effect, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql"

/** Some rows of a table, as a JSON array of objects. */
export interface Rows {
  readonly count: number
  readonly json: string
}

/** Blocks whose rows are looked at together: 60,000 at most. */
const blocks = 256

/** Bytes of the rows that are read at a time; one row may have more. */
const most = 4_000_000

const decodeRanges = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ ranges: Schema.Int })]))
const decodePlaces = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ place: Schema.String, bytes: Schema.Number }))
)
const decodeRows = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ json: Schema.String })]))

/** The places of rows, in groups that may be read at a time. */
const grouped = (places: Effect.Success<ReturnType<typeof decodePlaces>>): ReadonlyArray<ReadonlyArray<string>> => {
  const groups: Array<Array<string>> = []
  let room = 0
  for (const { bytes, place } of places) {
    if (bytes > room || groups.length === 0) {
      groups.push([])
      room = most
    }
    groups.at(-1)?.push(place)
    room -= bytes
  }
  return groups
}

/**
 * Reads a part of a table that nobody writes, in memory that does not grow with it: by the places of rows, since an
 * answer of the embedded database is whole before any of it can be passed on. JSON as text keeps each value as it is.
 */
export const read = (sql: SqlClient.SqlClient, { columns, size }: Table, part: string) => {
  const places = (range: number) =>
    sql.unsafe(
      `select ctid::text as place, ${size} as bytes from ${part}
        where ctid >= '(${range * blocks},0)'::tid and ctid < '(${(range + 1) * blocks},0)'::tid`
    ).pipe(Effect.flatMap(decodePlaces))
  const rows = Effect.fnUntraced(function*(group: ReadonlyArray<string>) {
    const [{ json }] = yield* decodeRows(
      yield* sql.unsafe(
        `select json_agg(r)::text as json from (select ${columns} from ${part} where ctid = any($1::text[]::tid[])) r`,
        [group]
      )
    )
    return { count: group.length, json } satisfies Rows
  })
  const ranges = sql.unsafe(
    `select ceil(pg_relation_size('${part}') / current_setting('block_size')::float8 / ${blocks})::int as ranges`
  ).pipe(Effect.flatMap(decodeRanges), Effect.map(([{ ranges }]) => ranges))
  return Stream.fromEffect(ranges).pipe(
    Stream.flatMap((count) => Stream.range(0, count - 1)),
    Stream.mapEffect(places),
    Stream.flatMap((found) => Stream.fromIterable(grouped(found))),
    Stream.mapEffect(rows)
  )
}

/** Writes rows into the table, each into its partition. */
export const write = (sql: SqlClient.SqlClient, { columns, name }: Table, { json }: Rows) =>
  sql.unsafe(
    `insert into ${name} (${columns}) overriding system value
      select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
    [json]
  )
