import * as Rename from "#layers/postgres/journal/Rename.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as StoredWays from "#layers/postgres/Ways.ts"
import { JsonMap } from "#schemas/Optional.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Sealed from "#src/access/Sealed.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as Catalogue from "#src/delivery/providers/Catalogue.ts"
import {
  type Configuration,
  ConfigurationAliasTaken,
  type ConfigurationDraft,
  ConfigurationInUse,
  ConfigurationNotFound,
  ProviderConfigurations
} from "#src/delivery/providers/ProviderConfigurations.ts"
import { renamings } from "#src/delivery/providers/ProviderNames.ts"
import * as Ways from "#src/delivery/providers/Ways.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { LongWork } from "#src/store/LongWork.ts"
import { Array, Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

const Text = Schema.NullOr(Schema.String)

const Row = Schema.Struct({
  id: Schema.String,
  provider: Schema.String,
  title: Text,
  alias: Text,
  settings: Text,
  created: Schema.Number,
  updated: Schema.NullOr(Schema.Number)
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const decodeNamed = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.String, provider: Schema.String, alias: Text }))
)

const decodeCreated = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ created: Schema.Number })]))

const columns = `id, provider, title, alias, settings, created_at::float8 as created, updated_at::float8 as updated`

const settingsText = Schema.fromJsonString(JsonMap)
const encodeSettings = Schema.encodeEffect(settingsText)
const decodeSettings = Schema.decodeEffect(settingsText)

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const newId = yield* TypeId.generator("pc")
  const seal = yield* Sealed.make("provider settings")
  const revisions = yield* Revisions.make("providers")

  const placeOf = (scope: Scope, id: string) => `${scope} ${id}`

  const sealed = (scope: Scope, id: string, { settings }: ConfigurationDraft) =>
    settings === undefined
      ? Effect.succeed(null)
      : Effect.flatMap(encodeSettings(Redacted.value(settings)), (text) =>
        seal.seal(placeOf(scope, id), Redacted.make(text)))

  /** If the settings of one cannot be unsealed, they are logged and left out: that must not stop the others. */
  const opened = Effect.fnUntraced(function*(scope: Scope, row: typeof Row.Type) {
    const text = row.settings === null
      ? undefined
      : yield* seal.open(placeOf(scope, row.id), row.settings).pipe(
        Effect.catch((error) => Effect.as(Effect.logError("cannot read a provider configuration", error), undefined))
      )
    return {
      id: row.id,
      provider: row.provider,
      title: row.title ?? undefined,
      alias: row.alias ?? undefined,
      settings: text === undefined ? undefined : Redacted.make(yield* decodeSettings(Redacted.value(text))),
      created: row.created,
      updated: row.updated ?? undefined
    } satisfies Configuration
  })

  /** The ids, providers and aliases of all configurations of an environment, the oldest first. */
  const named = (scope: Scope) =>
    sql`select id, provider, alias from provider_configurations where scope = ${scope} order by created_at, id`.pipe(
      Effect.flatMap(decodeNamed),
      Effect.map((rows) => rows.map((row) => ({ ...row, alias: row.alias ?? undefined })))
    )

  const rename = Rename.attempts(sql)
  const ways = StoredWays.make(sql)

  const get = Effect.fnUntraced(function*(scope: Scope, id: string) {
    const rows = yield* sql`select ${sql.literal(columns)} from provider_configurations
      where scope = ${scope} and id = ${id}`.pipe(Effect.flatMap(decode))
    const row = Array.head(rows)
    return Option.isSome(row) ? yield* opened(scope, row.value) : yield* new ConfigurationNotFound({ id })
  }, orUnavailable)

  /** Fails if something could no longer send as it says without this configuration. */
  const checkUnused = Effect.fnUntraced(function*(
    scope: Scope,
    id: string,
    templates: ReturnType<typeof ways.tenantTemplates>
  ) {
    const removed = yield* get(scope, id)
    const others = (yield* named(scope)).filter((other) => other.id !== id)
    const { alias, provider } = removed
    const isLast = !others.some((other) => other.provider === provider)
    const names = [id, ...(alias === undefined ? [] : [alias]), ...(isLast ? Catalogue.namesOf(provider) : [])]
    const wanted = {
      texts: names.map((name) => JSON.stringify(name)),
      holds: (way: Ways.Way) => Ways.needs(way, removed, others)
    }
    const strategy = yield* ways.strategy(scope, wanted)
    if (strategy !== undefined) return yield* new ConfigurationInUse({ id, by: `routing strategy ${strategy.id}` })
    const template = yield* templates(wanted)
    if (template === undefined) return
    return yield* new ConfigurationInUse({ id, by: `template ${template.id} of tenant ${template.tenantId}` })
  })

  /**
   * Makes a change after which other configurations may have other names, and renames the attempts of open messages
   * accordingly.
   */
  const renaming = Effect.fnUntraced(function*<A, E>(scope: Scope, change: Effect.Effect<A, E>) {
    const before = yield* named(scope)
    const changed = yield* change
    const all = renamings(before, yield* named(scope))
    if (all.length > 0) yield* yield* LongWork
    yield* rename(scope, all)
    return changed
  })

  const write = <A>(statement: Effect.Effect<A, SqlError.SqlError>, { alias = "" }: ConfigurationDraft) =>
    Effect.catchReason(statement, "SqlError", "UniqueViolation", () => new ConfigurationAliasTaken({ alias }))

  // Whatever the clock says, it is younger than those there are: the oldest of a vendor goes by the vendor's own name.
  const insert = Effect.fnUntraced(function*(scope: Scope, draft: ConfigurationDraft) {
    const id = yield* newId
    const now = yield* Clock.currentTimeMillis
    const settings = yield* sealed(scope, id, draft)
    const rows = yield* write(
      sql`insert into provider_configurations (scope, id, provider, title, alias, settings, created_at)
        select ${scope}, ${id}, ${draft.provider}, ${draft.title ?? null}, ${draft.alias ?? null}, ${settings},
          greatest(${now}::bigint, max(created_at) + 1)
        from provider_configurations where scope = ${scope} returning created_at::float8 as created`,
      draft
    )
    const [{ created }] = yield* decodeCreated(rows)
    return { ...draft, id, created, updated: undefined } satisfies Configuration
  })

  // Every write bumps the revision first: its row is the lock that serialises the writes of a scope's configurations.
  // The name of one, and whether it may be deleted, depend on the others.
  const create: ProviderConfigurations["Service"]["create"] = Effect.fnUntraced(
    function*(scope, draft) {
      yield* revisions.bump(scope)
      return yield* insert(scope, draft)
    },
    sql.withTransaction,
    orUnavailable
  )

  // The first change of a scope inserts its row of revisions: of two nodes that start at once, only one does.
  const first: ProviderConfigurations["Service"]["first"] = Effect.fnUntraced(
    function*(scope, drafts) {
      const claimed = yield* sql`insert into revisions (scope, kind, revision) values (${scope}, 'providers', 0)
      on conflict (scope, kind) do nothing returning 1`
      if (claimed.length === 0) return false
      yield* Effect.forEach(drafts, (draft) => insert(scope, draft))
      yield* revisions.bump(scope)
      return true
    },
    sql.withTransaction,
    orUnavailable
  )

  const replace: ProviderConfigurations["Service"]["replace"] = (scope, id, change) =>
    Effect.gen(function*() {
      yield* revisions.bump(scope)
      const stored = yield* get(scope, id)
      const draft = yield* change(stored)
      const now = yield* Clock.currentTimeMillis
      const settings = yield* sealed(scope, id, draft)
      yield* renaming(
        scope,
        write(
          sql`update provider_configurations set provider = ${draft.provider}, title = ${draft.title ?? null},
            alias = ${draft.alias ?? null}, settings = ${settings}, updated_at = ${now}
          where scope = ${scope} and id = ${id}`,
          draft
        )
      )
      return { ...draft, id, created: stored.created, updated: now }
    }).pipe(sql.withTransaction, orUnavailable)

  const remove: ProviderConfigurations["Service"]["remove"] = Effect.fnUntraced(
    function*(scope, id) {
      const templates = ways.tenantTemplates(scope)
      // Once before others' writes have to wait for this one: the templates of all tenants are many.
      yield* checkUnused(scope, id, templates)
      yield* revisions.bump(scope)
      yield* checkUnused(scope, id, templates)
      yield* renaming(scope, sql`delete from provider_configurations where scope = ${scope} and id = ${id}`)
    },
    sql.withTransaction,
    orUnavailable
  )

  const list: ProviderConfigurations["Service"]["list"] = Effect.fnUntraced(function*(scope, query) {
    const page = yield* PageBytes.newestFirst(sql, {
      cursors,
      list: { scope, route: "providers", filters: [] },
      query,
      table: "provider_configurations",
      columns,
      bytes: "coalesce(octet_length(settings), 0)",
      decode
    })
    return { ...page, items: yield* Effect.forEach(page.items, (row) => opened(scope, row)) }
  }, orUnavailable)

  const installed = revisions.remembering((scope) =>
    sql`select ${sql.literal(columns)} from provider_configurations where scope = ${scope} order by created_at, id`
      .pipe(
        Effect.flatMap(decode),
        Effect.flatMap(Effect.forEach((row) => opened(scope, row))),
        orUnavailable
      )
  )

  return ProviderConfigurations.of({
    create,
    first,
    get,
    replace,
    remove,
    list,
    installed: (scope) => installed(scope, "")
  })
})

export const layer = Layer.effect(ProviderConfigurations, make)
