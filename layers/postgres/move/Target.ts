import { moving } from "#layers/postgres/Installation.ts"
import type * as Tables from "#layers/postgres/move/Tables.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** Why nothing was moved. */
export class CannotMove extends Schema.TaggedError<CannotMove>()("CannotMove", { message: Schema.String }) {}

/** A setting: its name and value. */
const Setting = Schema.Struct({ name: Schema.String, value: Schema.String })

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))
const decodeSettings = Schema.decodeUnknownEffect(Schema.Array(Setting))

export const settings = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(sql`select name, value from settings`, decodeSettings)

/** The setting of a database that a move has filled: the id of that move. */
export const moved = "moved"

/** The migrations fill it. */
const seeded = "scopes"

const notEmpty = (names: ReadonlyArray<string>) =>
  new CannotMove({
    message: `the database of DATABASE_URL has data of Tidings already, in ${names.join(", ")}; nothing was moved: ` +
      "name an empty one"
  })

/** Whether these are the settings of an installation, and not of a target that a move was cut off in. */
const isTaken = (found: ReadonlyArray<typeof Setting.Type>): boolean =>
  found.length > 0 && !found.some(({ name }) => name === moving)

const decodeSetUp = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ isSetUp: Schema.Boolean })]))

/**
 * Fails if the target is an installation of its own, before its schema is brought to this version. `id`: of the move that
 * the data directory is marked with, if it is.
 */
export const refuse = Effect.fnUntraced(function*(target: SqlClient.SqlClient, id: string | undefined) {
  const [{ isSetUp }] = yield* decodeSetUp(yield* target`select to_regclass('settings') is not null as "isSetUp"`)
  const found = isSetUp ? yield* settings(target) : []
  if (isTaken(found) && !found.some(({ value }) => value === id)) return yield* notEmpty(["settings"])
})

/**
 * Takes the target for this move, if it is empty or holds what a move left that was cut off, and gives it the settings of
 * the source. Every start asks for these first: from here on none is let in, and none that was is overlooked.
 */
export const claim = Effect.fnUntraced(
  function*(
    target: SqlClient.SqlClient,
    tables: ReadonlyArray<Tables.Table>,
    given: ReadonlyArray<typeof Setting.Type>,
    id: string
  ) {
    yield* target`lock table settings in exclusive mode`
    const before = yield* settings(target)
    const others = tables.filter(({ name }) => name !== seeded)
      .map(({ name }) => `(select '${name}' as name from ${name} limit 1)`)
    if (isTaken(before)) return yield* notEmpty(["settings"])
    if (before.length === 0) {
      const filled = yield* decodeNames(yield* target.unsafe(others.join(" union all ")))
      if (filled.length > 0) return yield* notEmpty(filled.map(({ name }) => name))
    }
    yield* target`delete from settings`
    const all = [...given, { name: moving, value: id }]
    yield* target`insert into settings (name, value)
      select * from unnest(${all.map(({ name }) => name)}::text[], ${all.map(({ value }) => value)}::text[])`
  },
  (claiming, target) => target.withTransaction(claiming)
)

/**
 * A transaction of the move with this id, which no limit of the role ends, and which is on disk when it is over. It fails
 * if another move has taken the target since.
 */
export const ours = (target: SqlClient.SqlClient, id: string) => <A, E, R>(work: Effect.Effect<A, E, R>) =>
  target.withTransaction(Effect.gen(function*() {
    yield* target`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true), set_config('synchronous_commit', 'on', true)`
    const found = yield* target`select 1 from settings where name = ${moving} and value = ${id} for share`
    if (found.length === 0) {
      return yield* new CannotMove({ message: "another move into the database of DATABASE_URL began meanwhile" })
    }
    return yield* work
  }))

/** Empties these tables, a day at a time, of what a move left that was cut off, and of what the migrations filled in. */
export const empty = Effect.fnUntraced(function*(
  target: SqlClient.SqlClient,
  tables: ReadonlyArray<Tables.Table>,
  id: string
) {
  const isWhole = ({ name, parts }: Tables.Table) => parts[0] === name
  const whole = tables.filter(isWhole).map(({ name }) => name).join(", ")
  for (const names of [whole, ...tables.flatMap((table) => isWhole(table) ? [] : table.parts)]) {
    yield* ours(target, id)(target.unsafe(`truncate ${names}`))
  }
})
