import type { BrandSettings } from "#schemas/Brand.ts"
import { valueAt } from "#schemas/Json.ts"
import { parse } from "#src/content/template/Parser.ts"
import { Effect, Result, Schema } from "effect"

/** The texts of a brand that are templates, in every mail of the brand. */
const templates = [
  "head.content",
  "footer.content",
  "footer.markdown",
  ...["templateOverride", "templateOverride.mjml"].flatMap((frame) =>
    ["head", "header", "footer"].map((part) => `${frame}.${part}`)
  )
].map((path) => `email.${path}`)

/** A text of a brand is no template, which would fail every mail of the brand: 400. */
export class BrandRefused extends Schema.TaggedError<BrandRefused>()("BrandRefused", {
  path: Schema.String,
  detail: Schema.String
}) {}

/** Refuses the settings of a brand with the first of their texts that is no template. `at`: where a request has them. */
export const checked = Effect.fnUntraced(function*(at: string, settings: BrandSettings | null | undefined) {
  for (const path of templates) {
    const text = valueAt(settings ?? undefined, path.split("."))
    const parsed = typeof text === "string" ? parse(text) : undefined
    if (parsed !== undefined && Result.isFailure(parsed)) {
      return yield* new BrandRefused({ path: `${at}.${path}`, detail: parsed.failure.detail })
    }
  }
})
