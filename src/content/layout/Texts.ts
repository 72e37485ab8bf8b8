import type { BrandSettings } from "#schemas/Brand.ts"
import { valueAt } from "#schemas/Json.ts"
import { Budget } from "#src/content/Budget.ts"
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

/** A text of a brand is no template, or all take too long to read, which would fail every mail of the brand: 400. */
export class BrandRefused extends Schema.TaggedError<BrandRefused>()("BrandRefused", {
  path: Schema.String,
  detail: Schema.String
}) {}

/**
 * Refuses the settings of a brand with the first of their texts that is no template, or is more than one rendering may
 * read. `at`: where a request has them.
 */
export const checked = Effect.fnUntraced(function*(at: string, settings: BrandSettings | null | undefined) {
  const budget = new Budget()
  for (const path of templates) {
    const text = valueAt(settings ?? undefined, path.split("."))
    if (typeof text !== "string") continue
    const parsed = parse(text, (amount) => budget.look(amount))
    if (parsed !== undefined && Result.isFailure(parsed)) budget.fail(parsed.failure.detail)
    if (budget.failure !== undefined) {
      return yield* new BrandRefused({ path: `${at}.${path}`, detail: budget.failure.detail })
    }
  }
})
