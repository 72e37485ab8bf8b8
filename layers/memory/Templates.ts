import { Database } from "#layers/memory/Database.ts"
import * as NamedBrands from "#layers/memory/NamedBrands.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf, type TemplateRow } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import * as Ways from "#layers/memory/Ways.ts"
import * as Told from "#layers/memory/webhooks/Told.ts"
import type { Scope } from "#schemas/Scope.ts"
import { elementalVersion, type Snapshot, Template, type TemplateContent } from "#schemas/Template.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as ElementIds from "#src/content/ElementIds.ts"
import * as GoingLive from "#src/content/GoingLive.ts"
import {
  AliasTaken,
  TemplateNotFound,
  type TemplateRecord,
  Templates,
  type TemplateSummary,
  TemplateUnpublished,
  UnknownStrategy,
  UnknownTopic,
  VersionNotFound
} from "#src/content/Templates.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as Others from "#src/reports/webhooks/Others.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decodeText = Schema.decodeEffect(Schema.fromJsonString(Template))
const decode = (text: string) => orUnavailable(decodeText(text))

/** The number and text of a snapshot; the draft has no number. */
const snapshotOf = (
  row: TemplateRow,
  snapshot: Snapshot
): { readonly text: string; readonly number?: number } | undefined => {
  if (snapshot === "draft") return { text: row.draft }
  const number = snapshot === "published" ? row.live ?? 0 : snapshot
  const text = row.versions[number - 1]?.template
  return text === undefined ? undefined : { text, number }
}

const record = Effect.fnUntraced(function*(row: TemplateRow, text: string, state: TemplateRecord["state"]) {
  const { alias, created, id, updated } = row
  return { id, template: yield* decode(text), state, alias, created, updated } satisfies TemplateRecord
})

const summary = Effect.fnUntraced(function*(row: TemplateRow) {
  const { name, tags } = yield* decode(row.draft)
  const live = Ways.liveOf(row)
  return {
    id: row.id,
    name,
    tags,
    state: live === undefined ? "DRAFT" : "PUBLISHED",
    topicId: live === undefined ? undefined : (yield* decode(live)).subscription?.topic_id,
    created: row.created,
    updated: row.updated
  } satisfies TemplateSummary
})

/** The templates in memory. */
export const layer = Layer.effect(
  Templates,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    const newId = yield* TypeId.generator("nt")

    const find = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* read((state) => HashMap.get(state.templates, nameOf(scope, id)))
      return Option.isSome(row) ? row.value : yield* new TemplateNotFound({ id })
    })

    const editable = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* find(scope, id)
      return row.archived ? yield* new TemplateNotFound({ id }) : row
    })

    const put = (row: TemplateRow) =>
      update((state) => ({ ...state, templates: HashMap.set(state.templates, nameOf(row.scope, row.id), row) }))

    const checkNamed = Effect.fnUntraced(function*(scope: Scope, { brand, routing }: Template) {
      yield* NamedBrands.check({ read }, scope, brand === null ? [] : [brand.id])
      if (routing === null) return
      const { strategy_id: id } = routing
      if (!(yield* read((state) => HashMap.has(state.strategies, nameOf(scope, id))))) {
        return yield* new UnknownStrategy({ id })
      }
    })

    const checkTopic = Effect.fnUntraced(function*(scope: Scope, { subscription }: Template) {
      if (subscription === null) return
      const { topic_id: id } = subscription
      if (!(yield* read((state) => HashMap.has(state.preferences.topics, nameOf(scope, id))))) {
        return yield* new UnknownTopic({ id })
      }
    })

    const checkAlias = Effect.fnUntraced(function*(row: TemplateRow, alias: string | null | undefined) {
      if (alias === undefined || alias === null) return
      const rows = yield* read((state) => inScope(state.templates, row.scope))
      const isTaken = rows.some((other) =>
        other.id !== row.id && (other.id === alias || (!other.archived && other.alias === alias))
      )
      if (isTaken) {
        return yield* new AliasTaken({ alias })
      }
    })

    /** Stores a row after a change of it, and tells that another version went live. */
    const putLive = Effect.fnUntraced(function*(row: TemplateRow, before: number | undefined) {
      yield* put(row)
      if (row.live === before) return
      const now = yield* Clock.currentTimeMillis
      yield* update((state) => Told.other(state, row.scope, Others.published(row.id, now), now))
    })

    const published = Effect.fnUntraced(function*(row: TemplateRow) {
      if (Ways.liveOf(row) === row.draft) return row
      yield* GoingLive.checked((yield* decode(row.draft)).content)
      const created = yield* Clock.currentTimeMillis
      const versions = [...row.versions, { template: row.draft, created }]
      return { ...row, versions, live: versions.length }
    })

    /** Stores a draft in a row that is new or already there. */
    const save = Effect.fnUntraced(function*(
      before: Omit<TemplateRow, "draft" | "draftAt">,
      given: Template,
      alias: string | null | undefined,
      publish: boolean
    ) {
      yield* checkNamed(before.scope, given)
      const content = yield* ElementIds.stored(given.content)
      const row: TemplateRow = {
        ...before,
        draft: JSON.stringify({ ...given, content }),
        draftAt: yield* Clock.currentTimeMillis,
        alias: alias === undefined ? before.alias : alias ?? undefined
      }
      yield* checkAlias(row, alias)
      const saved = publish ? yield* published(row) : row
      yield* putLive(saved, before.live)
      return yield* record(saved, saved.draft, publish ? "PUBLISHED" : "DRAFT")
    })

    return Templates.of({
      create: Effect.fnUntraced(function*(scope, { alias, publish, template }) {
        yield* checkTopic(scope, template)
        const row = { scope, id: yield* newId, created: yield* Clock.currentTimeMillis, updated: undefined }
        const fresh = { ...row, alias: undefined, archived: false, live: undefined, versions: [] }
        return yield* save(fresh, template, alias, publish)
      }, transaction),

      get: Effect.fnUntraced(function*(scope, id, snapshot) {
        const row = yield* find(scope, id)
        const found = snapshotOf(row, snapshot)
        if (found === undefined) return yield* new VersionNotFound({ id })
        return yield* record(row, found.text, snapshot === "draft" ? "DRAFT" : "PUBLISHED")
      }),

      replace: Effect.fnUntraced(function*(scope, id, { alias, publish, template }) {
        const row = yield* editable(scope, id)
        yield* checkTopic(scope, template)
        return yield* save({ ...row, updated: yield* Clock.currentTimeMillis }, template, alias, publish)
      }, transaction),

      editContent: Effect.fnUntraced(function*<E>(
        scope: Scope,
        id: string,
        edit: (content: TemplateContent) => Effect.Effect<TemplateContent, E>,
        publish: boolean
      ) {
        const row = yield* editable(scope, id)
        const before = yield* decode(row.draft)
        const content = yield* edit(before.content)
        const version = content.version ?? before.content.version ?? elementalVersion
        const template = { ...before, content: { ...content, version } }
        const updated = yield* Clock.currentTimeMillis
        return yield* save({ ...row, updated }, template, undefined, publish).pipe(
          Effect.catchTag("AliasTaken", Effect.die)
        )
      }, transaction),

      archive: Effect.fnUntraced(function*(scope, id) {
        yield* put({ ...(yield* editable(scope, id)), archived: true, alias: undefined })
      }, transaction),

      publish: Effect.fnUntraced(function*(scope, id, snapshot = "draft") {
        const row = yield* editable(scope, id)
        const found = snapshotOf(row, snapshot)
        if (found === undefined) return yield* new VersionNotFound({ id })
        yield* checkNamed(scope, yield* decode(found.text))
        const after = found.number === undefined ? yield* published(row) : { ...row, live: found.number }
        yield* putLive(after, row.live)
        return after.live !== row.live
      }, transaction),

      versions: Effect.fnUntraced(function*(scope, id, { cursor, limit }) {
        const row = yield* find(scope, id)
        const draft = {
          number: undefined,
          live: false,
          hasChanges: row.draft !== Ways.liveOf(row),
          created: row.draftAt
        }
        const rows = row.versions.map(({ created }, index) => ({
          number: index + 1,
          live: index + 1 === row.live,
          hasChanges: undefined,
          created
        }))
        return yield* Pages.cut({
          cursors,
          list: { scope, route: "template versions", filters: [id] },
          rows: [draft, ...rows],
          position: ({ number = 1e15 }) => ({ at: number, id }),
          limit,
          cursor
        })
      }),

      list: Effect.fnUntraced(function*(scope, { alias, cursor, limit, strategyId }) {
        const state = yield* read((state) => state)
        const using = strategyId === undefined ? undefined : (yield* Ways.templates(state, scope)).flatMap(
          ({ id, template }) => template.routing?.strategy_id === strategyId ? [id] : []
        )
        const page = yield* Pages.cut({
          cursors,
          list: { scope, route: "templates", filters: [alias ?? null, strategyId ?? null] },
          rows: inScope(state.templates, scope).filter((row) =>
            !row.archived && (alias === undefined || row.alias === alias) && using?.includes(row.id) !== false
          ),
          position: (row) => ({ at: row.created, id: row.id }),
          limit,
          cursor
        })
        return { ...page, items: yield* Effect.forEach(page.items, summary) }
      }),

      resolve: Effect.fnUntraced(function*(scope, name, keyState) {
        const rows = yield* read((state) => inScope(state.templates, scope))
        const row = rows.find(({ id }) => id === name) ?? rows.find((row) => !row.archived && row.alias === name)
        if (row === undefined || row.archived) return yield* new TemplateNotFound({ id: name })
        const text = keyState === "draft" ? row.draft : Ways.liveOf(row)
        if (text === undefined) return yield* new TemplateUnpublished({ id: name })
        return { id: row.id, alias: row.alias, template: yield* decode(text) }
      })
    })
  })
)
