import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import { revisionKind } from "#layers/postgres/PreferenceCatalogue.ts"
import { nowhere } from "#layers/postgres/UserPreferences.ts"
import { RecipientPreferences, TopicSetting } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import { type Overridden, OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue, type SectionRecord } from "#src/people/PreferenceCatalogue.ts"
import type { Owner } from "#src/people/UserPreferences.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Found = Schema.Struct({
  place: Schema.Number,
  topicId: Schema.NullOr(Schema.String),
  setting: Schema.NullOr(Schema.fromJsonString(TopicSetting)),
  legacy: Schema.NullOr(Schema.fromJsonString(RecipientPreferences)),
  revision: Schema.NullOr(Schema.Number)
})
const decodeFound = Schema.decodeUnknownEffect(Schema.Array(Found))

/** The most environments whose catalogues are cached. */
const capacity = 1_000

interface Kept {
  readonly revision: number
  readonly sections: ReadonlyArray<SectionRecord>
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const catalogue = yield* PreferenceCatalogue
  const kept = new Map<Scope, Kept>()

  /**
   * Reads and caches a catalogue. It is read after its revision, so the cached catalogue is never older than the
   * revision it is cached under. Within a transaction nothing is cached: its changes may not commit.
   */
  const keep = Effect.fnUntraced(function*(scope: Scope, revision: number) {
    const sections = yield* catalogue.sections(scope)
    const transaction = Context.getOrUndefined(yield* Effect.context<never>(), sql.transactionService)
    if (transaction !== undefined) return sections
    if (kept.size >= capacity) kept.clear()
    kept.set(scope, { revision, sections })
    return sections
  })

  // Looks up each row by its key, for the same reason as `Profiles` does.
  const lookup = yield* Lookups.make(Effect.fnUntraced(function*(asked: ReadonlyArray<Owner>) {
    const rows =
      yield* sql`select x.place::int as place, p.topic_id as "topicId", p.preference as setting, r.preferences as legacy,
        v.revision::float8 as revision
      from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ userId }) => userId)}::text[],
        ${asked.map(({ tenantId = nowhere }) => tenantId)}::text[])
        with ordinality as x(scope, user_id, tenant_id, place)
      left join revisions v on v.scope = x.scope and v.kind = ${revisionKind}
      left join lateral (select preferences from recipient_preferences r
        where r.scope = x.scope and r.user_id = x.user_id limit 1) r on true
      left join lateral (select topic_id, preference from user_preferences p
        where p.scope = x.scope and p.user_id = x.user_id and p.tenant_id = x.tenant_id offset 0) p on true
      order by x.place, p.topic_id`.pipe(Effect.flatMap(decodeFound))
    const found = Map.groupBy(rows, ({ place }) => place - 1)
    const catalogues = new Map<Scope, ReadonlyArray<SectionRecord>>()
    for (const [place, { scope }] of asked.entries()) {
      if (catalogues.has(scope)) continue
      const revision = found.get(place)?.[0]?.revision ?? 0
      const known = kept.get(scope)
      catalogues.set(scope, known?.revision === revision ? known.sections : yield* keep(scope, revision))
    }
    return asked.map(({ scope }, place): Overridden => {
      const rows = found.get(place) ?? []
      return {
        overrides: rows.flatMap(({ setting, topicId }) =>
          setting === null || topicId === null ? [] : [{ topicId, setting }]
        ),
        legacy: rows[0]?.legacy ?? undefined,
        sections: catalogues.get(scope) ?? []
      }
    })
  }))

  return OverriddenTopics.of({ of: lookup })
})

/** What a user's list of topics is computed from, on Postgres. */
export const layer = Layer.effect(OverriddenTopics, make)
