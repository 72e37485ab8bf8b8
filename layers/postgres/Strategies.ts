import * as NamedBrands from "#layers/postgres/NamedBrands.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as Ways from "#src/delivery/providers/Ways.ts"
import { Strategies, StrategyInUse, StrategyNotFound, type StrategyRecord } from "#src/delivery/providers/Strategies.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const strategyText = Schema.fromJsonString(RoutingStrategy)
const encode = Schema.encodeEffect(strategyText)

const Row = Schema.Struct({
  id: Schema.String,
  strategy: strategyText,
  created: Schema.Number,
  updated: Schema.NullOr(Schema.Number)
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const columns = `id, strategy, created_at::float8 as created, updated_at::float8 as updated`

const record = ({ updated, ...row }: typeof Row.Type): StrategyRecord => ({ ...row, updated: updated ?? undefined })

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const newId = yield* TypeId.generator("rs")
  const revisions = yield* Revisions.make("strategies")
  const listed = Readable.listed("routing strategy", Row)

  const create = Effect.fnUntraced(
    function*(scope: Scope, strategy: RoutingStrategy) {
      yield* NamedBrands.check(sql, scope, Ways.brandsOf(strategy))
      const id = yield* newId
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into routing_strategies (scope, id, strategy, created_at)
      values (${scope}, ${id}, ${yield* encode(strategy)}, ${now})`
      yield* revisions.bump(scope)
      return { id, strategy, created: now, updated: undefined }
    },
    sql.withTransaction,
    orUnavailable
  )

  const get = Effect.fnUntraced(function*(scope: Scope, id: string) {
    const rows = yield* sql`select ${sql.literal(columns)} from routing_strategies
      where scope = ${scope} and id = ${id} and not archived`.pipe(Effect.flatMap(decode))
    const row = Array.head(rows)
    return Option.isSome(row) ? record(row.value) : yield* new StrategyNotFound({ id })
  }, orUnavailable)

  const replace = Effect.fnUntraced(
    function*(scope: Scope, id: string, strategy: RoutingStrategy) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql`update routing_strategies set strategy = ${yield* encode(strategy)}, updated_at = ${now}
      where scope = ${scope} and id = ${id} and not archived returning ${sql.literal(columns)}`.pipe(
        Effect.flatMap(decode)
      )
      const row = Array.head(rows)
      if (Option.isNone(row)) return yield* new StrategyNotFound({ id })
      yield* NamedBrands.check(sql, scope, Ways.brandsOf(strategy))
      yield* revisions.bump(scope)
      return record(row.value)
    },
    sql.withTransaction,
    orUnavailable
  )

  // The strategy is locked first. Writing a template with it holds a shared lock until its commit, and so is seen here.
  const archive = Effect.fnUntraced(
    function*(scope: Scope, id: string) {
      const found = yield* sql`select 1 from routing_strategies
      where scope = ${scope} and id = ${id} and not archived for update`
      if (found.length === 0) return yield* new StrategyNotFound({ id })
      const users = yield* sql`select 1 from templates
      where scope = ${scope} and not archived and (draft_strategy = ${id} or live_strategy = ${id}) limit 1`
      if (users.length > 0) return yield* new StrategyInUse({ id })
      yield* sql`update routing_strategies set archived = true where scope = ${scope} and id = ${id}`
      yield* revisions.bump(scope)
    },
    sql.withTransaction,
    orUnavailable
  )

  const list: Strategies["Service"]["list"] = Effect.fnUntraced(function*(scope, query) {
    const page = yield* PageBytes.newestFirst(sql, {
      cursors,
      list: { scope, route: "routing strategies", filters: [] },
      query,
      table: "routing_strategies",
      columns,
      bytes: "octet_length(strategy)",
      where: sql`and not archived`,
      decode: listed
    })
    return { ...page, items: page.items.map(record) }
  }, orUnavailable)

  return Strategies.of({
    create,
    get,
    replace,
    archive,
    list,
    resolve: revisions.remembering((scope, id) => Effect.map(get(scope, id), ({ strategy }) => strategy))
  })
})

export const layer = Layer.effect(Strategies, make)
