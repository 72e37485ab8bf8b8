import * as Revisions from "#layers/postgres/Revisions.ts"
import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { Scope } from "#schemas/Scope.ts"
import { type Catalogue, parse } from "#src/content/Catalogue.ts"
import { canonical, defaultDomain, fallbacks, TranslationNotFound, Translations } from "#src/content/Translations.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Array, Clock, Context, Effect, Layer, Option, Request, RequestResolver, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** JSON as text, since a caller's text may hold what Postgres text cannot. */
const PoText = Schema.fromJsonString(Schema.String)
const encode = Schema.encodeEffect(PoText)
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ po: PoText })))
const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ scope: Scope, domain: Schema.String, locale: Schema.String, po: Schema.String }))
)
const decodePo = Schema.decodeEffect(PoText)

const maxBatch = 200

class Load extends Request.Class<
  { readonly scope: Scope; readonly domain: string; readonly locale: string },
  Option.Option<Catalogue>,
  StoreUnavailable
> {}

const nameOf = (scope: Scope, domain: string, locale: string): string => JSON.stringify([scope, domain, locale])

const catalogue = (text: string) =>
  decodePo(text).pipe(
    Effect.flatMap(parse),
    Effect.mapError((cause) => new StoreUnavailable({ cause }))
  )

/** The look-ups of one turn as one statement; those of a transaction stay on its connection. */
const loader = (sql: SqlClient.SqlClient) =>
  RequestResolver.makeWith<Load>({
    batchKey: (entry) => Context.getOrUndefined(entry.context, sql.transactionService)?.[0],
    delay: Effect.yieldNow,
    collectWhile: (entries) => entries.size < maxBatch,
    runAll: Effect.fnUntraced(function*(entries) {
      const wanted = entries.flatMap(({ request }) =>
        fallbacks(request.locale).map((locale) => ({ scope: request.scope, domain: request.domain, locale }))
      )
      const rows = yield* sql`select t.scope, t.domain, t.locale, t.po
        from (select distinct * from unnest(${wanted.map(({ scope }) => scope)}::int[],
          ${wanted.map(({ domain }) => domain)}::text[], ${
        wanted.map(({ locale }) => locale)
      }::text[]) as w(scope, domain, locale)) as x
        join translations t using (scope, domain, locale)`.pipe(Effect.flatMap(decodeFound), orUnavailable)
      const found = new Map(rows.map(({ domain, locale, po, scope }) => [nameOf(scope, domain, locale), po]))
      yield* Effect.forEach(entries, (entry) => {
        const { domain, locale, scope } = entry.request
        const text = fallbacks(locale).map((form) => found.get(nameOf(scope, domain, form))).find((po) =>
          po !== undefined
        )
        const loaded = text === undefined ? Effect.succeedNone : Effect.asSome(catalogue(text))
        return Effect.map(Effect.exit(loaded), (exit) => entry.completeUnsafe(exit))
      }, { discard: true })
    })
  })

const decodeName = Schema.decodeEffect(Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String])))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const revisions = yield* Revisions.make("translations")
  const resolver = loader(sql)

  const remembered = revisions.remembering(Effect.fnUntraced(function*(scope: Scope, name: string) {
    const [domain, locale] = yield* decodeName(name)
    return yield* Effect.request(new Load({ scope, domain, locale }), resolver)
  }, orUnavailable))

  const get: Translations["Service"]["get"] = Effect.fnUntraced(function*(scope, domain, locale) {
    const rows = yield* sql`select po from translations
      where scope = ${scope} and domain = ${domain} and locale = ${canonical(locale)}`.pipe(Effect.flatMap(decodeRows))
    const row = Array.head(rows)
    return Option.isSome(row) ? row.value.po : yield* new TranslationNotFound({ domain, locale })
  }, orUnavailable)

  const put: Translations["Service"]["put"] = Effect.fnUntraced(
    function*(scope, domain, locale, po) {
      if (domain !== defaultDomain) return yield* new TranslationNotFound({ domain, locale })
      yield* parse(po)
      const now = yield* Clock.currentTimeMillis
      const text = yield* encode(po)
      yield* sql`insert into translations (scope, domain, locale, po, updated_at)
        values (${scope}, ${domain}, ${canonical(locale)}, ${text}, ${now})
        on conflict (scope, domain, locale) do update set po = excluded.po, updated_at = excluded.updated_at`
      yield* revisions.bump(scope)
    },
    sql.withTransaction,
    orUnavailable
  )

  return Translations.of({
    get,
    put,
    find: (scope, domain, locale) => remembered(scope, JSON.stringify([domain, canonical(locale)]))
  })
})

/** The translations on Postgres. */
export const layer = Layer.effect(Translations, make)
