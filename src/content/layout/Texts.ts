import type { BrandDraft } from "#schemas/Brand.ts"
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
 * Refuses a brand with the first of its texts that is no template, or is more than one rendering may read. `at`: where a
 * request has it.
 */
export const checked = Effect.fnUntraced(
  function*(at: "" | "brand.", brand: Pick<BrandDraft, "settings" | "snippets">) {
    const budget = new Budget()
    const settings = brand.settings ?? undefined
    const texts = [
      ...templates.map((path) => [`settings.${path}`, valueAt(settings, path.split("."))] as const),
      ...(brand.snippets?.items ?? []).map(({ value }, n) => [`snippets.items[${n}].value`, value] as const)
    ]
    for (const [path, text] of texts) {
      if (typeof text !== "string") continue
      const parsed = parse(text, (amount) => budget.look(amount))
      if (parsed !== undefined && Result.isFailure(parsed)) budget.fail(parsed.failure.detail)
      if (budget.failure !== undefined) {
        return yield* new BrandRefused({ path: `${at}${path}`, detail: budget.failure.detail })
      }
    }
  }
)
