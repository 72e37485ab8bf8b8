import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as Moved from "#layers/postgres/embedded/Moved.ts"
import { moving } from "#layers/postgres/Installation.ts"
import * as Rows from "#layers/postgres/move/Rows.ts"
import * as Tables from "#layers/postgres/move/Tables.ts"
import * as Target from "#layers/postgres/move/Target.ts"
import { DateTime, Effect, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"

/** The embedded database, which nobody else has open, and the operator's, both brought to this version's schema. */
export interface Ends {
  readonly source: SqlClient.SqlClient
  readonly target: SqlClient.SqlClient
  /** The data directory of the source. */
  readonly directory: string
  /** What to call the target, without its password. */
  readonly to: string
  /** Is told of what takes long how far it is: so many of so many (`days made ready`). */
  readonly told: (done: number, of: number, what: string) => Effect.Effect<void>
}

/** How many rows a table has on both sides. */
export interface Counted {
  readonly table: string
  readonly source: number
  readonly target: number
}

const decodeVersion = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ version: Schema.Int })]))
const decodeSequences = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ name: Schema.String, last: Schema.String }))
)

const versionOf = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const [{ version }] = yield* decodeVersion(yield* sql`select max(migration_id) as version from migrations`)
  return version
})

/** What `told` calls the rows. */
export const rowsMoved = "rows moved"

/** The rows of all tables but the settings, which say whose database it is. */
const tablesOf = (sql: SqlClient.SqlClient, names?: ReadonlyArray<string>) =>
  Effect.map(Tables.all(sql, names), (tables) => tables.filter(({ name }) => name !== "settings"))

/** The days that the source has partitions for. */
const days = (tables: ReadonlyArray<Tables.Table>): ReadonlyArray<DateTime.Utc> => {
  const names = tables.flatMap(({ parts }) =>
    parts.flatMap((part) => /_(\d{4})(\d\d)(\d\d)$/.exec(part)?.slice(1).join("-") ?? [])
  )
  return [...new Set(names)].map((day) => DateTime.makeUnsafe(`${day}T00:00:00Z`))
}

/** Moves the rows of a part of a table, in one transaction of the target. */
const part = Effect.fnUntraced(function*(
  { source, target }: Ends,
  table: Tables.Table,
  name: string,
  told: (rows: number) => Effect.Effect<void>
) {
  // What a trigger leaves was left in the source, and is moved as it is.
  if (table.hasTriggers) yield* target.unsafe(`alter table ${table.name} disable trigger user`)
  yield* Rows.read(source, table, name).pipe(
    // The next rows are read while these are written.
    Stream.buffer({ capacity: 1 }),
    Stream.runForEach((rows) => Effect.andThen(Rows.write(target, table, rows), told(rows.count)))
  )
  if (table.hasTriggers) yield* target.unsafe(`alter table ${table.name} enable trigger user`)
})

/** Goes on with the sequences where the source's ended. */
const sequences = Effect.fnUntraced(function*({ source, target }: Ends) {
  const found = yield* decodeSequences(
    yield* source`select quote_ident(sequencename) as name, last_value::text as last from pg_sequences
      where schemaname = 'public' and last_value is not null`
  )
  for (const { last, name } of found) yield* target`select setval(${name}::text::regclass, ${last}::text::bigint)`
})

const counted = Effect.fnUntraced(function*({ source, target }: Ends, tables: ReadonlyArray<Tables.Table>) {
  const from = yield* Tables.counts(source, tables)
  const to = yield* Tables.counts(target, yield* tablesOf(target, tables.map(({ name }) => name)))
  return [...from].map(([table, count]): Counted => ({ table, source: count, target: to.get(table) ?? 0 }))
})

/**
 * Ends a move whose rows are all in the target: counts them once more, marks the data directory, and lets a start in at
 * the target. Whatever cuts this off, there are never two databases that a server starts on: one that is marked and one
 * that is not let in yet are known by the move's id, and the next try of this move ends it.
 */
const end = Effect.fnUntraced(function*(
  ends: Ends,
  tables: ReadonlyArray<Tables.Table>,
  mark: Moved.Mark,
  isMarked: boolean
) {
  const { directory, target } = ends
  // Not in one transaction, which would keep a lock on every partition and its indexes.
  const found = yield* counted(ends, tables)
  const wrong = found.filter(({ source, target }) => source !== target)
  if (wrong.length > 0) {
    const said = wrong.map(({ source, table, target }) => `${table} has ${target} of ${source} rows`).join(", ")
    return yield* new Target.CannotMove({
      message: `not all is in the database of DATABASE_URL: ${said}; ${
        isMarked ? `remove ${Moved.fileIn(directory)} and run it again` : "run it again"
      }`
    })
  }
  const letIn = target`update settings set name = ${Target.moved} where name = ${moving}`
  yield* Target.ours(target, mark.id)(isMarked ? letIn : Effect.andThen(Moved.write(directory, mark), letIn))
  return found
})

/** Ends a move that was cut off after it had marked the data directory. `undefined`: it had ended, or is another's. */
const resume = Effect.fnUntraced(function*(ends: Ends, tables: ReadonlyArray<Tables.Table>, mark: Moved.Mark) {
  const found = (yield* Target.settings(ends.target)).find(({ value }) => value === mark.id)
  if (found?.name === Target.moved) return undefined
  if (found?.name !== moving) return yield* Moved.refusal(ends.directory, mark)
  return yield* end(ends, tables, mark, true)
})

/**
 * Moves everything, and answers how many rows each table has; `undefined` if all was moved before. One that is cut off
 * leaves the source as it was, and is begun anew by the next.
 */
export const run = Effect.fnUntraced(function*(ends: Ends) {
  const { directory, source, target, to, told } = ends
  const [from, into] = [yield* versionOf(source), yield* versionOf(target)]
  if (from !== into) {
    return yield* new Target.CannotMove({
      message:
        `the data directory has schema ${from}, and the database of DATABASE_URL ${into}: move with the newer version`
    })
  }
  const tables = yield* tablesOf(source)
  const mark = yield* Moved.read(directory)
  if (mark !== undefined) return yield* resume(ends, tables, mark)

  const id = yield* Effect.orDie(SecureRandom.SecureRandom.use((random) => random.uuidV4()))
  yield* Target.claim(target, tables, yield* Target.settings(source), id)
  yield* Target.empty(target, yield* tablesOf(target, tables.map(({ name }) => name)), id)
  const wanted = days(tables)
  for (const [index, day] of wanted.entries()) {
    yield* Partitions.make(target, day)
    yield* told(index + 1, wanted.length, "days made ready")
  }
  const all = [...(yield* Tables.counts(source, tables)).values()].reduce((sum, count) => sum + count, 0)
  let done = 0
  const tell = (rows: number) => Effect.suspend(() => told(done += rows, all, rowsMoved))
  for (const table of tables) {
    for (const name of table.parts) yield* Target.ours(target, id)(part(ends, table, name, tell))
  }
  yield* Target.ours(target, id)(sequences(ends))
  const parts = (yield* tablesOf(target, tables.map(({ name }) => name))).flatMap((table) => table.parts)
  for (const [index, name] of parts.entries()) {
    yield* Target.ours(target, id)(target.unsafe(`analyze ${name}`))
    yield* told(index + 1, parts.length, "tables analyzed")
  }
  const at = DateTime.formatIso(yield* DateTime.now)
  return yield* end(ends, tables, { id, to, at }, false)
})
