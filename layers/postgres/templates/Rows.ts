import { Template } from "#schemas/Template.ts"
import type { TemplateRecord, TemplateSummary } from "#src/content/Templates.ts"
import { Effect, Schema } from "effect"

const Time = Schema.NullOr(Schema.Number)
const Text = Schema.NullOr(Schema.String)

const rows = <S extends Schema.Struct.Fields>(fields: S) =>
  Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(fields)))

/** The columns of a template's row; `bigint` would come as a `BigInt`. */
export const columns = `t.id, t.alias, t.archived, t.draft, t.latest::float8 as latest, t.live::float8 as live,
  t.draft_at::float8 as "draftAt", t.created_at::float8 as created, t.updated_at::float8 as updated`

const fields = {
  id: Schema.String,
  alias: Text,
  archived: Schema.Boolean,
  draft: Schema.String,
  draftAt: Schema.Number,
  latest: Schema.Number,
  live: Time,
  created: Schema.Number,
  updated: Time
}

export const decode = rows(fields)
export type Row = Effect.Success<ReturnType<typeof decode>>[number]

export const decodeVersions = rows({ version: Schema.Number, template: Schema.String, created: Schema.Number })

export const decodeNumbers = rows({ version: Schema.Number, created: Schema.Number })

export const decodeResolved = rows({ id: Schema.String, alias: Text, archived: Schema.Boolean, template: Text })

export const summaryColumns = `id, summary, live is not null as published, live_topic as topic,
  created_at::float8 as created, updated_at::float8 as updated`

export const Summary = Schema.Struct({
  id: Schema.String,
  summary: Schema.fromJsonString(Schema.Struct({ name: Schema.String, tags: Schema.Array(Schema.String) })),
  published: Schema.Boolean,
  topic: Text,
  created: Schema.Number,
  updated: Time
})

const template = Schema.fromJsonString(Template)
export const encodeTemplate = Schema.encodeEffect(template)
export const decodeTemplate = Schema.decodeEffect(template)

export const record = Effect.fnUntraced(function*(row: Row, text: string, state: TemplateRecord["state"]) {
  return {
    id: row.id,
    template: yield* decodeTemplate(text),
    state,
    // Another one may have it by now.
    alias: row.archived ? undefined : row.alias ?? undefined,
    created: row.created,
    updated: row.updated ?? undefined
  } satisfies TemplateRecord
})

export const summary = (
  { summary: { name, tags }, published, topic, updated, ...rest }: typeof Summary.Type
): TemplateSummary => ({
  ...rest,
  name,
  tags,
  state: published ? "PUBLISHED" : "DRAFT",
  topicId: topic ?? undefined,
  updated: updated ?? undefined
})
