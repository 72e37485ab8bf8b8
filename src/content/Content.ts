import type { Brand } from "#schemas/Brand.ts"
import type { Content } from "#schemas/Elemental.ts"
import { isObject, type Value } from "#schemas/Json.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { paragraph } from "#src/content/Block.ts"
import { Budget, limits } from "#src/content/Budget.ts"
import { languageOf } from "#src/content/elemental/Locales.ts"
import { type Document, document } from "#src/content/Elemental.ts"
import { contexts } from "#src/content/html/Contexts.ts"
import { once } from "#src/cache/Once.ts"
import * as Page from "#src/content/html/Page.ts"
import type { Branding } from "#src/content/layout/Branding.ts"
import * as Plain from "#src/content/Plain.ts"
import { recent } from "#src/cache/Recent.ts"
import { isNothing, NothingToSay } from "#src/content/NothingToSay.ts"
import { RenderFailed } from "#src/content/RenderFailed.ts"
import { snippetsOf } from "#src/content/Snippets.ts"
import { shape } from "#src/content/Shape.ts"
import type { Translate } from "#src/content/template/Helper.ts"
import { isTemplate } from "#src/content/template/Tags.ts"
import { fill } from "#src/content/Variables.ts"
import { DateTime, Result, type Schema } from "effect"

export { NothingToSay, RenderFailed }

/** The content of a message, and the channel, provider and recipient to render it for. */
export interface Input {
  readonly content: Content
  readonly channel: string
  readonly provider: string
  readonly data: Schema.JsonObject
  readonly profile: Schema.JsonObject
  /** Other names of the provider, its vendor's key included. */
  readonly providers?: ReadonlyArray<string> | undefined
  /** The brand of this channel of the message (api.md §9). */
  readonly brand?: Brand | undefined
  /**
   * Whether a missing variable fails the rendering: an option of templates (api.md 2.6). It does not apply to brands'
   * own texts.
   */
  readonly throwing?: boolean | undefined
  /** The brand's page, for a channel that has one. */
  readonly branding?: Branding | undefined
  readonly translate?: Translate | undefined
  /** Asked for only by templates that use what the engine itself knows: most use none of it. */
  readonly context: () => Context
}

/** What the engine knows of a message and its recipient, for templates. */
export interface Context {
  readonly messageId: string
  readonly recipient: string
  readonly tenantId: string | undefined
  readonly environment: string
  /** When this is rendered, in epoch ms; `datetime.year` comes from it. */
  readonly now?: number | undefined
  /** The token of the link that opts out of the message's topic (api.md 2.6). */
  readonly unsubscribeTrackingId?: string
  /**
   * The other variables of templates: `brand`, `tenant`, `urls`, `event`, `template`, `subscriptionTopicId` … (api.md
   * 2.6).
   */
  readonly variables?: Schema.JsonObject | undefined
}

/** Rendered up to the slow part: `mjml`, if present, has to be compiled, and its HTML passed to `finish`. */
export interface Prepared {
  readonly mjml: string | undefined
  readonly finish: (compiled: string | undefined) => Result.Result<Rendered, RenderFailed>
  /** Whether what it was finished to says nothing. */
  readonly isNothing: (rendered: Rendered) => boolean
}

const never = () => false

/** Matches text without markdown, variables or carriage returns. */
const plain = /^[^*_~`[\]\\<{\r]*$/

const systemOf = (context: Context): Schema.JsonObject => ({
  ...context.variables,
  messageId: context.messageId,
  get unsubscribeTrackingId() {
    return context.unsubscribeTrackingId ?? ""
  },
  recipient: context.recipient,
  courier: { ...objectOf(context.variables?.["courier"]), environment: context.environment },
  ...(context.tenantId === undefined
    ? {}
    : { tenant: { ...objectOf(context.variables?.["tenant"]), id: context.tenantId } }),
  ...(context.now === undefined
    ? {}
    : { datetime: { year: DateTime.toPartsUtc(DateTime.makeUnsafe(context.now)).year } })
})

const objectOf = (value: Value): Schema.JsonObject => isObject(value) ? value : {}

/** The document of a `{title, body}` that is only text, with nothing to compute; `undefined` for other content. */
const simple = ({ body, elements, title }: Content): Document | undefined => {
  if (
    (elements !== undefined && elements !== null && elements.length > 0) || typeof body !== "string" ||
    !plain.test(body)
  ) return undefined
  if (typeof title === "string" && isTemplate(title)) return undefined
  if (body.length + (title?.length ?? 0) > limits.output) return undefined
  return {
    title: title ?? "",
    blocks: [paragraph(body === "" ? [] : [{ _tag: "Text", text: body }])],
    raw: undefined,
    isMjml: false,
    footer: [],
    isRich: false,
    look: Page.plain
  }
}

const untranslated: Translate = () => undefined

const snippetOf = ({ brand }: Input) => (name: string): string | undefined => brand && snippetsOf(brand).get(name)

const withinLimits = (rendered: Rendered): Result.Result<Rendered, RenderFailed> =>
  rendered.html.length > limits.output
    ? Result.fail(new RenderFailed({ detail: `The content renders to more than ${limits.output} characters of HTML` }))
    : Result.succeed(rendered)

/** Renders content that is only text. Cached, since it is the same for every recipient and provider. */
const simply = recent(4, (content: Content, channel: string, language: string | undefined) => {
  const document = simple(content)
  return document && withinLimits(shape({
    channel,
    providers: [],
    language,
    document: { ...document, title: Plain.oneLine(document.title) },
    layout: undefined,
    ownFooter: undefined,
    write: (template) => template,
    refuse: () => {}
  }))
})

/** What the templates of an input may speak of. */
const scopeOf = (input: Input) => ({
  data: input.data,
  profile: input.profile,
  system: once(() => systemOf(input.context())),
  translate: input.translate ?? untranslated,
  snippet: snippetOf(input),
  throwing: input.throwing ?? false
})

/** The rest of it where a template stands in no element. */
const outside = () => ({ refs: {}, set: new Map(), loop: undefined })

/** A value inside a list of addresses is one address or name: characters that would begin another one are left out. */
const listed = { text: (text: string) => text, value: (text: string) => text.replaceAll(/[,;<>"\r\n]+/g, " ") }

/** Fills in the variables of a message's address lists (api.md §3: `cc`, `bcc`, `reply_to`). */
export const addresses = (
  input: Input,
  texts: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, RenderFailed> => {
  const budget = new Budget()
  const scope = { ...scopeOf(input), ...outside() }
  const filled = texts.map((text) => fill(text, scope, budget, listed))
  return budget.failure === undefined ? Result.succeed(filled) : Result.fail(budget.failure)
}

/**
 * Renders what one channel of a message is given to send. Data stays data: it is escaped in HTML, kept as it is in
 * plain text, and never becomes markup, markdown or behavior. Output, loops, steps and depth are limited (`Budget`), so
 * that rendering ends within about 100 ms.
 */
export const prepare = (input: Input): Result.Result<Prepared, RenderFailed> => {
  const language = languageOf(input.profile["locale"])
  const branding = input.channel === "email" ? input.branding : undefined
  const same = branding === undefined ? simply(input.content, input.channel, language) : undefined
  if (same !== undefined) return Result.succeed({ mjml: undefined, finish: () => same, isNothing: never })
  const budget = new Budget()
  const scope = scopeOf(input)
  const providers = [input.provider, ...input.providers ?? []]
  const found = document(input.content, {
    channel: input.channel,
    providers,
    locale: language,
    style: branding?.style,
    scope,
    budget
  })
  if (budget.failure !== undefined) return Result.fail(budget.failure)
  const html = found.isMjml && input.channel === "email" ? found.raw?.["html"] : undefined
  const finish: Prepared["finish"] = (compiled) => {
    const raw = compiled === undefined ? found.raw : { ...found.raw, html: compiled }
    const rendered = shape({
      channel: input.channel,
      providers,
      language,
      document: { ...found, raw, title: Plain.oneLine(found.title) },
      layout: branding?.layout,
      ownFooter: branding?.style.override?.footer,
      write: (template) => fill(template, { ...scope, ...outside(), throwing: false }, budget, contexts(budget)),
      refuse: (detail) => budget.fail(detail)
    })
    if (budget.failure !== undefined) return Result.fail(budget.failure)
    return withinLimits(rendered)
  }
  return Result.succeed({
    mjml: typeof html === "string" ? html : undefined,
    finish,
    isNothing: (rendered) => isNothing(input.content, input.channel, found, rendered)
  })
}

/** `prepare` and `finish` in one, for content without MJML. */
export const render = (input: Input): Result.Result<Rendered, RenderFailed> =>
  Result.flatMap(prepare(input), ({ finish, mjml }) =>
    mjml === undefined
      ? finish(undefined)
      : Result.fail(new RenderFailed({ detail: "MJML is not compiled here" })))
