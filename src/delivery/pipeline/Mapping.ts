import type { Content } from "#schemas/Elemental.ts"
import type { ChannelSettings, ProviderSettings } from "#schemas/Routing.ts"
import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Template } from "#schemas/Template.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { type Resolved, Templates } from "#src/content/Templates.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Refusal from "#src/delivery/pipeline/Refusal.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import * as Delays from "#src/flows/Delays.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
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

const given = <A extends object>(settings: A): Partial<A> => {
  const kept: Partial<A> = {}
  for (const key in settings) if (settings[key] !== null && settings[key] !== undefined) kept[key] = settings[key]
  return kept
}

/**
 * The settings `over` win: overrides of payloads are merged deeply, as a channel's and a provider's are (api.md §3),
 * timeouts one by one, and everything else is replaced.
 */
const merged = <A extends ChannelSettings | ProviderSettings>(under: A, over: A): A => {
  const together: Partial<ChannelSettings> = {
    ...(under.override && over.override ? { override: ProfileChange.merge(under.override, over.override) } : {}),
    ...(typeof under.timeouts === "object" && typeof over.timeouts === "object"
      ? { timeouts: { ...under.timeouts, ...given(over.timeouts ?? {}) } }
      : {})
  }
  return Object.assign({}, under, given(over), together)
}

/** Settings by name: the strategy's, under what the message gives of the same name. */
const over = <A extends ChannelSettings | ProviderSettings>(
  strategy: Readonly<Record<string, A>> | null | undefined,
  message: Readonly<Record<string, A>> | null | undefined
): Readonly<Record<string, A>> => {
  const own = Object.entries(message ?? {}).map(([name, settings]): [string, A] => {
    const under = strategy !== null && strategy !== undefined && Object.hasOwn(strategy, name)
      ? strategy[name]
      : undefined
    return [name, under === undefined ? settings : merged(under, settings)]
  })
  return Object.fromEntries([...Object.entries(strategy ?? {}), ...own])
}

/**
 * The instructions with what a template or its strategy adds to them: what the message itself says of its routing wins
 * (api.md §15, 26.3).
 */
export const routed = (
  instructions: Instructions,
  strategy: Pick<RoutingStrategy | TenantTemplate, "channels" | "providers" | "routing"> | undefined
): Instructions =>
  strategy === undefined ? instructions : {
    ...instructions,
    routing: instructions.routing ?? strategy.routing,
    channels: over(strategy.channels, instructions.channels),
    providers: over(strategy.providers, instructions.providers)
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

  const workspaceTemplate = Effect.fnUntraced(function*({ instructions, keyState, scope }: OpenMessage) {
    const name = instructions.template ?? ""
    const found = yield* Write.patiently(
      templates.resolve(scope, name, keyState).pipe(
        Effect.catchTags({
          TemplateNotFound: () => Effect.succeed(Refusal.unmapped(`Notification template ${name} not found`)),
          TemplateUnpublished: () =>
            Effect.succeed(Refusal.unmapped(`Notification template ${name} was never published`, "UNPUBLISHED"))
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

  /**
   * The workspace's template, with the content of the tenant's own one of the same id if there is one; by the name
   * `tenant/<id>`, the tenant's only.
   */
  const template = Effect.fnUntraced(function*(message: OpenMessage): Effect.fn.Return<
    { readonly resolved: Resolved; readonly own: TenantTemplate | undefined },
    Refusal.Refusal
  > {
    const name = message.instructions.template ?? ""
    const isOwn = name.startsWith(ofTenant)
    const named = yield* tenantTemplate(message, isOwn ? name.slice(ofTenant.length) : name)
    if (isOwn && named === undefined) return yield* Refusal.unmapped(`Notification template ${name} not found`)
    const found = isOwn ? undefined : yield* Effect.result(workspaceTemplate(message))
    if (found !== undefined && Result.isFailure(found) && named === undefined) return yield* found.failure
    const resolved = found !== undefined && Result.isSuccess(found)
      ? found.success
      : { id: isOwn ? name.slice(ofTenant.length) : name, alias: undefined, template: nothing(name) }
    const own = named ?? (resolved.id === name ? undefined : yield* tenantTemplate(message, resolved.id))
    return own === undefined
      ? { resolved, own }
      : { resolved: { ...resolved, template: { ...resolved.template, content: own.content } }, own }
  })

  return Effect.fnUntraced(function*(message: OpenMessage): Effect.fn.Return<Mapped, Refusal.Refusal> {
    const { content, delay, metadata } = message.instructions
    const fault = Delays.fault(delay, message.enqueuedAt)
    if (fault !== undefined) return yield* Refusal.undeliverable("FAILED", fault)
    const isOneTimePassword = isPassword(metadata?.tags)
    if (content !== undefined && content !== null) {
      return { message, content, template: undefined, isOneTimePassword }
    }
    const { own, resolved } = yield* template(message)
    const strategy = yield* strategyOf(message, resolved)
    return {
      message: {
        ...message,
        instructions: routed(routed(message.instructions, own), strategy),
        ...(isNamed(message, resolved.id) ? {} : { templateId: resolved.id })
      },
      content: resolved.template.content,
      template: resolved,
      isOneTimePassword: isOneTimePassword || isPassword(resolved.template.tags)
    }
  })
})
