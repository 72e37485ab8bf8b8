import type { Brand } from "#schemas/Brand.ts"
import type { Content } from "#schemas/Elemental.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { paragraph } from "#src/content/Block.ts"
import { Budget, limits } from "#src/content/Budget.ts"
import { languageOf } from "#src/content/elemental/Locales.ts"
import { type Document, document } from "#src/content/Elemental.ts"
import * as Page from "#src/content/html/Page.ts"
import { isObject, type Value } from "#src/content/Own.ts"
import * as Plain from "#src/content/Plain.ts"
import { RenderFailed } from "#src/content/RenderFailed.ts"
import { shape } from "#src/content/Shape.ts"
import { DateTime, Result, type Schema } from "effect"

export { RenderFailed }

/** What a message says, and for whom and what it is rendered. */
export interface Input {
  readonly content: Content
  readonly channel: string
  readonly provider: string
  readonly data: Schema.JsonObject
  readonly profile: Schema.JsonObject
  /** What it looks like: the brand of this channel of the message (api.md §9). */
  readonly brand?: Brand | undefined
  readonly context: {
    readonly messageId: string
    readonly recipient: string
    readonly tenantId: string | undefined
    readonly environment: string
    /** When this is rendered, in epoch ms: what `datetime.year` is from. */
    readonly now?: number | undefined
    /** What else templates may speak of: `brand`, `tenant`, `urls`, `event`, `template`, `subscriptionTopicId` … (api.md 2.6). */
    readonly variables?: Schema.JsonObject | undefined
  }
}

/** Markdown, a tag, a line break or a carriage return: what a plain text does not have. */
const plain = /^[^*_~`[\]\\{\r]*$/

const systemOf = ({ context }: Input): Schema.JsonObject => ({
  ...context.variables,
  messageId: context.messageId,
  recipient: context.recipient,
  courier: { environment: context.environment },
  ...(context.tenantId === undefined
    ? {}
    : { tenant: { ...objectOf(context.variables?.["tenant"]), id: context.tenantId } }),
  ...(context.now === undefined
    ? {}
    : { datetime: { year: DateTime.toPartsUtc(DateTime.makeUnsafe(context.now)).year } })
})

const objectOf = (value: Value): Schema.JsonObject => isObject(value) ? value : {}

/** A short `{title, body}` that is only text, where there is nothing to compute. */
const simple = ({ body, elements, title }: Content): Document | undefined => {
  if (
    (elements !== undefined && elements !== null && elements.length > 0) || typeof body !== "string" ||
    !plain.test(body)
  ) return undefined
  if (typeof title === "string" && title.includes("{{")) return undefined
  if (body.length + (title?.length ?? 0) > limits.output) return undefined
  return {
    title: title ?? "",
    blocks: [paragraph(body === "" ? [] : [{ _tag: "Text", text: body }])],
    raw: undefined,
    look: Page.plain
  }
}

/**
 * What one channel of a message is given to send. Data is data: it is escaped in HTML, left alone in text, and never markup, markdown or
 * behaviour. Output, loops, steps and depth are limited (`Budget`), so that this ends within about 100 ms.
 */
export const render = (input: Input): Result.Result<Rendered, RenderFailed> => {
  const budget = new Budget()
  const language = languageOf(input.profile["locale"])
  const found = simple(input.content) ?? document(input.content, {
    channel: input.channel,
    provider: input.provider,
    locale: language,
    scope: { data: input.data, profile: input.profile, system: systemOf(input) },
    budget
  })
  if (budget.failure !== undefined) return Result.fail(budget.failure)
  const rendered = shape(input.channel, { ...found, title: Plain.oneLine(found.title) }, language)
  return rendered.html.length > limits.output
    ? Result.fail(new RenderFailed({ detail: `The content renders to more than ${limits.output} characters of HTML` }))
    : Result.succeed(rendered)
}
