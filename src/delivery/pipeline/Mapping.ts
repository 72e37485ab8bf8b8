import type { Content } from "#schemas/Elemental.ts"
import type { Template } from "#schemas/Template.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"
import { type Resolved, Templates } from "#src/content/Templates.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Refusal from "#src/delivery/pipeline/Refusal.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import * as Delays from "#src/flows/Delays.ts"
import { Effect, Result } from "effect"

/** A message with what its template adds to it. */
export interface Mapped {
  readonly message: OpenMessage
  readonly content: Content
  /** `undefined`: the message brought its own content. */
  readonly template: Resolved | undefined
  /**
   * A call with an unknown outcome waits long for a receipt before it is repeated, since that may be a second copy
   * (design.md §5).
   */
  readonly isOneTimePassword: boolean
}

/** `otp` as a word of a tag, such as in `login-otp`, but not within another word. */
const password = /(?<![a-z])otp(?![a-z])/i

const isPassword = (tags: ReadonlyArray<string> | null | undefined): boolean =>
  tags?.some((tag) => password.test(tag)) ?? false

/** The names of tenants' own templates. */
const ofTenant = "tenant/"

/** Whether the message was sent with the template's own name: its id, or the one that it has in its tenant. */
const isNamed = ({ instructions: { template } }: OpenMessage, id: string): boolean =>
  template === id || template === ofTenant + id

const notFound = (name: string) => Refusal.unmapped(`Notification template ${name} not found`)
const neverPublished = (name: string) =>
  Refusal.unmapped(`Notification template ${name} was never published`, "UNPUBLISHED")

/** Stands in for the workspace's template where only a tenant has one. */
const nothing = (name: string): Template => ({
  name,
  tags: [],
  brand: null,
  subscription: null,
  routing: null,
  content: { elements: [] }
})

/** The stage that finds what a message says: its own content, or its template's for the key it was sent with. */
export const make = Effect.gen(function*() {
  const templates = yield* Templates
  const strategies = yield* Strategies

  const tenantTemplates = yield* TenantTemplates

  const workspaceTemplate = Effect.fnUntraced(function*({ keyState, scope }: OpenMessage, name: string) {
    const found = yield* Write.patiently(
      templates.resolve(scope, name, keyState).pipe(
        Effect.catchTags({
          TemplateNotFound: () => Effect.succeed(notFound(name)),
          TemplateUnpublished: () => Effect.succeed(neverPublished(name))
        })
      )
    )
    return found instanceof Refusal.Refusal ? yield* found : found
  })

  /** A strategy that is named cannot be archived; one that is gone all the same leaves the workspace's default. */
  const strategyOf = ({ scope }: OpenMessage, { template: { routing } }: Resolved) =>
    routing === null
      ? Effect.succeed(undefined)
      : Write.patiently(
        strategies.resolve(scope, routing.strategy_id).pipe(
          Effect.catchTag("StrategyNotFound", () => Effect.succeed(undefined))
        )
      )

  const tenantTemplate = ({ keyState, recipient: { tenant_id: tenantId }, scope }: OpenMessage, id: string) =>
    tenantId === undefined || tenantId === null
      ? Effect.undefined
      : Write.patiently(tenantTemplates.resolve(scope, tenantId, id, keyState))

  /** Why a name leads nowhere, where the workspace knows no more: the tenant's own template may be a draft (api.md 14). */
  const nowhere = Effect.fnUntraced(function*(message: OpenMessage, id: string, known: Refusal.Refusal) {
    const draft = yield* tenantTemplate({ ...message, keyState: "draft" }, id)
    return yield* draft === undefined ? known : neverPublished(message.instructions.template ?? "")
  })

  /**
   * The workspace's template, with the content of the tenant's own one of the same id if there is one; by the name
   * `tenant/<id>`, only if there is one.
   */
  const template = Effect.fnUntraced(function*(message: OpenMessage): Effect.fn.Return<
    { readonly resolved: Resolved; readonly own: TenantTemplate | undefined },
    Refusal.Refusal
  > {
    const name = message.instructions.template ?? ""
    const isOwn = name.startsWith(ofTenant)
    const id = isOwn ? name.slice(ofTenant.length) : name
    const named = yield* tenantTemplate(message, id)
    if (isOwn && named === undefined) return yield* nowhere(message, id, notFound(name))
    const found = yield* Effect.result(workspaceTemplate(message, id))
    if (Result.isFailure(found) && named === undefined) return yield* nowhere(message, id, found.failure)
    const resolved = Result.isSuccess(found) ? found.success : { id, alias: undefined, template: nothing(name) }
    const own = named ?? (resolved.id === id ? undefined : yield* tenantTemplate(message, resolved.id))
    return own === undefined
      ? { resolved, own }
      : { resolved: { ...resolved, template: { ...resolved.template, content: own.content } }, own }
  })

  const templated = Effect.fnUntraced(function*(
    message: OpenMessage,
    isOneTimePassword: boolean
  ): Effect.fn.Return<Mapped, Refusal.Refusal> {
    const { own, resolved } = yield* template(message)
    const strategy = yield* strategyOf(message, resolved)
    return {
      message: {
        ...message,
        instructions: Settings.routed(Settings.routed(message.instructions, own), strategy),
        ...(isNamed(message, resolved.id) ? {} : { templateId: resolved.id })
      },
      content: resolved.template.content,
      template: resolved,
      isOneTimePassword: isOneTimePassword || isPassword(resolved.template.tags)
    }
  })

  return (message: OpenMessage): Effect.Effect<Mapped, Refusal.Refusal> => {
    const { content, delay, metadata } = message.instructions
    const fault = Delays.fault(delay, message.enqueuedAt)
    if (fault !== undefined) return Effect.fail(Refusal.undeliverable("FAILED", fault))
    const isOneTimePassword = isPassword(metadata?.tags)
    return content === undefined || content === null
      ? templated(message, isOneTimePassword)
      : Effect.succeed({ message, content, template: undefined, isOneTimePassword })
  }
})
