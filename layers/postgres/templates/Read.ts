import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Rows from "#layers/postgres/templates/Rows.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import {
  type Resolved,
  TemplateNotFound,
  type Templates,
  TemplateUnpublished,
  VersionNotFound
} from "#src/content/Templates.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Array, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"

/** The draft's position in a list of versions, in front of every published one. */
const draftPlace = 1e15

/** The methods of the template store that only read. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const listed = Readable.listed("template", Rows.Summary)

  const find = Effect.fnUntraced(function*(scope: Scope, id: string) {
    const rows = yield* sql`select ${sql.literal(Rows.columns)} from templates t where scope = ${scope} and id = ${id}`
    return Option.getOrUndefined(Array.head(yield* Rows.decode(rows)))
  })

  const version = Effect.fnUntraced(function*(scope: Scope, id: string, number: number | null) {
    const rows = yield* sql`select version::float8 as version, template, created_at::float8 as created
      from template_versions where scope = ${scope} and template_id = ${id} and version = ${number}::bigint`
    return Option.getOrUndefined(Array.head(yield* Rows.decodeVersions(rows)))
  })

  const get: Templates["Service"]["get"] = Effect.fnUntraced(function*(scope, id, snapshot) {
    const row = yield* find(scope, id)
    if (row === undefined) return yield* new TemplateNotFound({ id })
    if (snapshot === "draft") return yield* Rows.record(row, row.draft, "DRAFT")
    const found = yield* version(scope, id, snapshot === "published" ? row.live : snapshot)
    return found === undefined
      ? yield* new VersionNotFound({ id })
      : yield* Rows.record(row, found.template, "PUBLISHED")
  }, orUnavailable)

  const versions: Templates["Service"]["versions"] = Effect.fnUntraced(function*(scope, id, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "template versions", filters: [id] }
    const before = (yield* Pages.after(cursors, sealed, cursor))?.at ?? draftPlace + 1
    const row = yield* find(scope, id)
    if (row === undefined) return yield* new TemplateNotFound({ id })
    const rows = yield* sql`select version::float8 as version, created_at::float8 as created from template_versions
      where scope = ${scope} and template_id = ${id} and version < ${before}::float8
      order by version desc limit ${limit + 1}::int`.pipe(Effect.flatMap(Rows.decodeNumbers))
    const hasChanges = row.draft !== (yield* version(scope, id, row.live))?.template
    const all = [
      ...(before > draftPlace ? [{ number: undefined, live: false, hasChanges, created: row.draftAt }] : []),
      ...rows.map((found) => ({
        number: found.version,
        live: found.version === row.live,
        hasChanges: undefined,
        created: found.created
      }))
    ]
    return Pages.cut({
      cursors,
      list: sealed,
      rows: all,
      limit,
      position: ({ number }) => ({ at: number ?? draftPlace, id })
    })
  }, orUnavailable)

  const list: Templates["Service"]["list"] = Effect.fnUntraced(function*(scope, { alias, strategyId, ...query }) {
    const page = yield* PageBytes.newestFirst(sql, {
      cursors,
      list: { scope, route: "templates", filters: [alias ?? null, strategyId ?? null] },
      query,
      table: "templates",
      columns: Rows.summaryColumns,
      bytes: "octet_length(summary)",
      where: sql`and not archived ${alias === undefined ? sql`` : sql`and alias = ${alias}`}
        ${
        strategyId === undefined ? sql`` : sql`and (draft_strategy = ${strategyId} or live_strategy = ${strategyId})`
      }`,
      decode: listed
    })
    return { ...page, items: page.items.map(Rows.summary) }
  }, orUnavailable)

  /** Loads a template by its id or alias; a template whose id is `name` comes before one whose alias it is. */
  const load = (isDraft: boolean) =>
    Effect.fnUntraced(function*(scope: Scope, name: string) {
      const rows = yield* sql`select t.id, t.alias, t.archived, ${isDraft ? sql`t.draft` : sql`v.template`} as template
        from templates t left join template_versions v
          on v.scope = t.scope and v.template_id = t.id and v.version = t.live
        where t.scope = ${scope} and (t.id = ${name} or (t.alias = ${name} and not t.archived))
        order by t.id <> ${name} limit 1`.pipe(Effect.flatMap(Rows.decodeResolved))
      const row = Array.head(rows)
      if (Option.isNone(row) || row.value.archived) return yield* new TemplateNotFound({ id: name })
      const { alias, id, template } = row.value
      if (template === null) return yield* new TemplateUnpublished({ id: name })
      return { id, alias: alias ?? undefined, template: yield* Rows.decodeTemplate(template) } satisfies Resolved
    }, orUnavailable)

  return { version, get, versions, list, load }
})
