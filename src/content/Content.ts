import type { Content } from "#schemas/Elemental.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Block } from "#src/content/Block.ts"
import { Budget, limits } from "#src/content/Budget.ts"
import { type Document, document } from "#src/content/Elemental.ts"
import * as Html from "#src/content/Html.ts"
import * as Plain from "#src/content/Plain.ts"
import { RenderFailed } from "#src/content/RenderFailed.ts"
import { Result, type Schema } from "effect"

export { RenderFailed }

/** What a message says, and for whom and what it is rendered. */
export interface Input {
  readonly content: Content
  readonly channel: string
  readonly provider: string
  readonly data: Schema.JsonObject
  readonly profile: Schema.JsonObject
  readonly context: {
    readonly messageId: string
    readonly recipient: string
    readonly tenantId: string | undefined
    readonly environment: string
  }
}

const empty: Rendered = { title: "", subject: "", body: "", text: "", html: "", blocks: [], actions: [] }

/** Markdown, a tag, a line break or a carriage return: what a plain text does not have. */
const plain = /^[^*_~`[\]\\{\r]*$/

const bodyOf = (blocks: ReadonlyArray<Block>, withActions: boolean): string =>
  Plain.text(blocks, { between: "\n", withActions })

/** Which parts of a document a channel takes. */
const shape = (channel: string, { actions, blocks, title }: Document): Rendered => {
  switch (channel) {
    case "email":
      return {
        ...empty,
        subject: title,
        text: Plain.text(blocks, { between: "\n\n", withActions: true }),
        html: Html.page(title, blocks)
      }
    case "sms": {
      const body = Plain.withoutControls(bodyOf(blocks, true))
      const said = body === "" ? title : body
      return { ...empty, body: said, text: said }
    }
    case "inbox":
    case "push":
    case "webhook": {
      const body = bodyOf(blocks, false)
      return {
        ...empty,
        title,
        body,
        text: body,
        actions: actions.filter(({ href }) => href === "" || Html.safeHref(href) !== undefined)
      }
    }
    default: {
      const body = bodyOf(blocks, true)
      return { ...empty, title, body, text: body }
    }
  }
}

const systemOf = ({ context }: Input): Schema.JsonObject => ({
  messageId: context.messageId,
  recipient: context.recipient,
  courier: { environment: context.environment },
  ...(context.tenantId === undefined ? {} : { tenant: { id: context.tenantId } })
})

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
    blocks: [{
      _tag: "Paragraph",
      style: "text",
      align: "",
      inlines: body === "" ? [] : [{ _tag: "Text", text: body }]
    }],
    actions: []
  }
}

/**
 * What one channel of a message is given to send. Data is data: it is escaped in HTML, left alone in text, and never markup, markdown or
 * behaviour. Output, loops, steps and depth are limited (`Budget`), so that this ends within about 50 ms.
 */
export const render = (input: Input): Result.Result<Rendered, RenderFailed> => {
  const budget = new Budget()
  const found = simple(input.content) ?? document(input.content, {
    channel: input.channel,
    provider: input.provider,
    scope: { data: input.data, profile: input.profile, system: systemOf(input) },
    budget
  })
  if (budget.failure !== undefined) return Result.fail(budget.failure)
  const rendered = shape(input.channel, { ...found, title: Plain.oneLine(found.title) })
  return rendered.html.length > limits.output
    ? Result.fail(new RenderFailed({ detail: `The content renders to more than ${limits.output} characters of HTML` }))
    : Result.succeed(rendered)
}
