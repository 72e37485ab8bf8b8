import { Schema } from "effect"

const Shown = Schema.Struct({
  channel: Schema.String,
  provider: Schema.String,
  error: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.Struct({
    subject: Schema.String,
    title: Schema.String,
    body: Schema.String,
    text: Schema.String,
    html: Schema.String,
    native: Schema.optionalKey(Schema.JsonObject),
    segments: Schema.optionalKey(Schema.JsonObject)
  }))
})

export const DryRun = Schema.decodeUnknownEffect(Schema.Struct({
  dry_run: Schema.Boolean,
  results: Schema.Array(Schema.Struct({
    recipient: Schema.String,
    status: Schema.String,
    reason: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.String),
    due_at: Schema.optionalKey(Schema.Number),
    unknown_tenant: Schema.optionalKey(Schema.String),
    unknown_topic: Schema.optionalKey(Schema.String),
    unknown_brand: Schema.optionalKey(Schema.String),
    outputs: Schema.Array(Shown)
  }))
}))
export const Preview = Schema.decodeUnknownEffect(Schema.Struct({ results: Schema.Array(Shown) }))

export const dry = { "tidings-dry-run": "true" }

export const template = (elements: ReadonlyArray<object>) => ({
  notification: {
    name: "shown",
    tags: [],
    brand: null,
    subscription: null,
    routing: null,
    content: { version: "2022-01-01", elements }
  }
})

export const Id = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.String }))
