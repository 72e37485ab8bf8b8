import * as NamedBrands from "#layers/postgres/NamedBrands.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Read from "#layers/postgres/templates/Read.ts"
import * as Rows from "#layers/postgres/templates/Rows.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import type { Scope } from "#schemas/Scope.ts"
import { type Alias, elementalVersion, type Template, type TemplateContent } from "#schemas/Template.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as ElementIds from "#src/content/ElementIds.ts"
import * as GoingLive from "#src/content/GoingLive.ts"
import {
  AliasTaken,
  type TemplateDraft,
  TemplateNotFound,
  Templates,
  UnknownStrategy,
  UnknownTopic,
  VersionNotFound
} from "#src/content/Templates.ts"
import * as Others from "#src/reports/webhooks/Others.ts"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const newId = yield* TypeId.generator("nt")
  const revisions = yield* Revisions.make("templates")
  const tell = Told.telling(sql)
  const { get, list, load, version, versions } = yield* Read.make

  const stored = (template: Template) =>
    Effect.map(ElementIds.stored(template.content), (content): Template => ({ ...template, content }))

  /**
   * A template that may be changed; its row is locked until the change commits. So is the template that has the alias
   * which it is to get, in the order of ids: two templates that swap aliases would otherwise deadlock.
   */
  const editable = Effect.fnUntraced(function*(scope: Scope, id: string, alias?: Alias | null) {
    const rows = yield* sql`select ${sql.literal(Rows.columns)} from templates t
      where scope = ${scope} and (id = ${id} or alias = ${alias ?? null}) and not archived order by id for update`
    const row = (yield* Rows.decode(rows)).find((found) => found.id === id)
    return row === undefined ? yield* new TemplateNotFound({ id }) : row
  })

  /** Fails unless the brand and the strategy exist; locks them, so that they stay until the change commits. */
  const checkNamed = Effect.fnUntraced(function*(scope: Scope, { brand, routing }: Template) {
    yield* NamedBrands.check(sql, scope, brand === null ? [] : [brand.id])
    if (routing === null) return
    const found = yield* sql`select 1 from routing_strategies
      where scope = ${scope} and id = ${routing.strategy_id} and not archived for key share`
    if (found.length === 0) return yield* new UnknownStrategy({ id: routing.strategy_id })
  })

  /** Fails unless the topic exists. An archived one will do: a template may go back to a version that names it. */
  const checkTopic = Effect.fnUntraced(function*(scope: Scope, { subscription }: Template) {
    if (subscription === null) return
    const found = yield* sql`select 1 from preference_topics where scope = ${scope} and id = ${subscription.topic_id}`
    if (found.length === 0) return yield* new UnknownTopic({ id: subscription.topic_id })
  })

  /** Refuses the id of another template too, also of one that is archived: a send that says it never means an alias. */
  const setAlias = Effect.fnUntraced(function*(scope: Scope, id: string, alias: Alias | null | undefined) {
    if (alias === undefined) return
    if (alias !== null && alias !== id) {
      const others = yield* sql`select 1 from templates where scope = ${scope} and id = ${alias}`
      if (others.length > 0) return yield* new AliasTaken({ alias })
    }
    yield* sql`update templates set alias = ${alias} where scope = ${scope} and id = ${id}`.pipe(
      Effect.catchReason("SqlError", "UniqueViolation", () => new AliasTaken({ alias: alias ?? "" }))
    )
  })

  const goLive = Effect.fnUntraced(function*(scope: Scope, id: string, number: number, template: Template) {
    yield* sql`update templates set live = ${number}::bigint, latest = greatest(latest, ${number}::bigint),
        live_strategy = ${template.routing?.strategy_id ?? null}, live_brand = ${
      template.brand?.id ?? null
    }, live_topic = ${template.subscription?.topic_id ?? null}
      where scope = ${scope} and id = ${id}`
    const now = yield* Clock.currentTimeMillis
    yield* tell(scope, [Others.published(id, now)], now)
  })

  /** Publishes the draft as a new version, unless the live version is the same. Answers whether it did. */
  const publishDraft = Effect.fnUntraced(
    function*(scope: Scope, row: Pick<Rows.Row, "id" | "latest" | "live">, draft: string) {
      const live = yield* version(scope, row.id, row.live)
      if (live?.template === draft) return false
      const template = yield* Rows.decodeTemplate(draft)
      yield* GoingLive.checked(template.content)
      const number = row.latest + 1
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into template_versions (scope, template_id, version, template, created_at)
      values (${scope}, ${row.id}, ${number}::bigint, ${draft}, ${now})`
      yield* goLive(scope, row.id, number, template)
      return true
    }
  )

  const create: Templates["Service"]["create"] = Effect.fnUntraced(
    function*(scope, { alias, publish, template: given }) {
      yield* checkTopic(scope, given)
      yield* checkNamed(scope, given)
      const template = yield* stored(given)
      const id = yield* newId
      const now = yield* Clock.currentTimeMillis
      const draft = yield* Rows.encodeTemplate(template)
      yield* sql`insert into templates (scope, id, summary, draft, draft_at, draft_strategy, draft_brand, created_at)
      values (${scope}, ${id}, ${summaryOf(template)}, ${draft}, ${now}, ${template.routing?.strategy_id ?? null}, ${
        template.brand?.id ?? null
      }, ${now})`
      yield* setAlias(scope, id, alias)
      if (publish) yield* publishDraft(scope, { id, latest: 0, live: null }, draft)
      yield* revisions.bump(scope)
      return {
        id,
        template,
        state: publish ? "PUBLISHED" as const : "DRAFT" as const,
        alias: alias ?? undefined,
        created: now,
        updated: undefined
      }
    },
    sql.withTransaction,
    orUnavailable
  )

  const save = Effect.fnUntraced(function*(
    scope: Scope,
    row: Rows.Row,
    { alias, publish, template: given }: TemplateDraft
  ) {
    yield* checkNamed(scope, given)
    const template = yield* stored(given)
    const now = yield* Clock.currentTimeMillis
    const draft = yield* Rows.encodeTemplate(template)
    yield* sql`update templates set summary = ${summaryOf(template)}, draft = ${draft}, draft_at = ${now},
        draft_strategy = ${template.routing?.strategy_id ?? null}, draft_brand = ${template.brand?.id ?? null},
        updated_at = ${now}
      where scope = ${scope} and id = ${row.id}`
    yield* setAlias(scope, row.id, alias)
    if (publish) yield* publishDraft(scope, row, draft)
    yield* revisions.bump(scope)
    return {
      id: row.id,
      template,
      state: publish ? "PUBLISHED" as const : "DRAFT" as const,
      alias: (alias === undefined ? row.alias : alias) ?? undefined,
      created: row.created,
      updated: now
    }
  })

  const replace: Templates["Service"]["replace"] = Effect.fnUntraced(
    function*(scope, id, draft) {
      const row = yield* editable(scope, id, draft.alias)
      yield* checkTopic(scope, draft.template)
      return yield* save(scope, row, draft)
    },
    sql.withTransaction,
    orUnavailable
  )

  const editContent = Effect.fnUntraced(
    function*<E>(
      scope: Scope,
      id: string,
      edit: (content: TemplateContent) => Effect.Effect<TemplateContent, E>,
      publish: boolean
    ) {
      const row = yield* editable(scope, id)
      const before = yield* Rows.decodeTemplate(row.draft)
      const content = yield* edit(before.content)
      const template = {
        ...before,
        content: { ...content, version: content.version ?? before.content.version ?? elementalVersion }
      }
      return yield* save(scope, row, { template, alias: undefined, publish }).pipe(
        Effect.catchTag("AliasTaken", Effect.die)
      )
    },
    sql.withTransaction,
    orUnavailable
  )

  const publish: Templates["Service"]["publish"] = Effect.fnUntraced(
    function*(scope, id, snapshot) {
      const row = yield* editable(scope, id)
      if (snapshot === undefined || snapshot === "draft") {
        yield* checkNamed(scope, yield* Rows.decodeTemplate(row.draft))
        const changed = yield* publishDraft(scope, row, row.draft)
        if (changed) yield* revisions.bump(scope)
        return changed
      }
      const found = yield* version(scope, id, snapshot === "published" ? row.live : snapshot)
      if (found === undefined) return yield* new VersionNotFound({ id })
      const template = yield* Rows.decodeTemplate(found.template)
      yield* checkNamed(scope, template)
      if (found.version === row.live) return false
      yield* goLive(scope, id, found.version, template)
      yield* revisions.bump(scope)
      return true
    },
    sql.withTransaction,
    orUnavailable
  )

  const archive: Templates["Service"]["archive"] = Effect.fnUntraced(
    function*(scope, id) {
      yield* editable(scope, id)
      yield* sql`update templates set archived = true where scope = ${scope} and id = ${id}`
      yield* revisions.bump(scope)
    },
    sql.withTransaction,
    orUnavailable
  )

  const resolved = { published: revisions.remembering(load(false)), draft: revisions.remembering(load(true)) }

  return Templates.of({
    create,
    get,
    replace,
    editContent,
    archive,
    publish,
    versions,
    list,
    resolve: (scope, idOrAlias, keyState) => resolved[keyState](scope, idOrAlias)
  })
})

const summaryOf = ({ name, tags }: Template): string => JSON.stringify({ name, tags })

export const layer = Layer.effect(Templates, make)
