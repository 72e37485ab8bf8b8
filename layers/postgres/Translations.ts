import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type { Scope } from "#schemas/Scope.ts"
import { layered, parse } from "#src/content/Catalogue.ts"
import { canonical, defaultDomain, fallbacks, TranslationNotFound, Translations } from "#src/content/Translations.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Stored as JSON, which escapes what a Postgres text cannot hold. */
const PoText = Schema.fromJsonString(Schema.String)
const encode = Schema.encodeEffect(PoText)
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ po: PoText })))
const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ place: Schema.Number, po: Schema.String }))
)
const decodePo = Schema.decodeEffect(PoText)

interface Asked {
  readonly scope: Scope
  readonly domain: string
  readonly form: string
}

const catalogue = (text: string) =>
  decodePo(text).pipe(
    Effect.flatMap(parse),
    Effect.mapError((cause) => new StoreUnavailable({ cause }))
  )

const decodeName = Schema.decodeEffect(Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String])))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const revisions = yield* Revisions.make("translations")

  /** The stored texts of exactly these locales. */
  const lookup = yield* Lookups.make(Effect.fnUntraced(function*(asked: ReadonlyArray<Asked>) {
    const rows = yield* sql`select x.place::int, t.po
      from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ domain }) => domain)}::text[],
        ${asked.map(({ form }) => form)}::text[]) with ordinality as x(scope, domain, locale, place)
      join translations t using (scope, domain, locale)`.pipe(Effect.flatMap(decodeFound))
    const found = new Map(rows.map(({ place, po }) => [place - 1, po]))
    return asked.map((_, place) => Option.fromUndefinedOr(found.get(place)))
  }))

  /** What was parsed of a file. By the locale asked for it would be parsed, and kept, for each that falls back to it. */
  const remembered = revisions.remembering(
    Effect.fnUntraced(function*(scope: Scope, name: string) {
      const [domain, form] = yield* decodeName(name)
      const text = yield* lookup({ scope, domain, form })
      return Option.isSome(text)
        ? Option.some({ catalogue: yield* catalogue(text.value), length: text.value.length })
        : Option.none()
    }, orUnavailable),
    Option.match({ onNone: () => 0, onSome: ({ length }) => length })
  )

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
    find: (scope, domain, locale) =>
      Effect.map(
        Effect.forEach(fallbacks(locale), (form) => remembered(scope, JSON.stringify([domain, form])), {
          concurrency: "unbounded"
        }),
        (found) => Option.fromUndefinedOr(layered(Array.getSomes(found).map(({ catalogue }) => catalogue)))
      )
  })
})

/** The translations on Postgres. */
export const layer = Layer.effect(Translations, make)
