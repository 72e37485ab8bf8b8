import type { Profile } from "#schemas/Profile.ts"
import {
  type ChannelEntry,
  type ChannelSettings,
  namesIn,
  type ProviderEntry,
  providerOf,
  type Routing,
  type RoutingEntry,
  settingsIn
} from "#schemas/Routing.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Conditions from "#src/delivery/Conditions.ts"
import * as Scan from "#src/delivery/conditions/Scan.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import type { Branch, Plan } from "#src/delivery/attempts/Plan.ts"
import { isNamed, named, type Provider } from "#src/delivery/Provider.ts"
import * as NoWay from "#src/delivery/pipeline/NoWay.ts"
import * as Refusal from "#src/delivery/pipeline/Refusal.ts"
import * as Suppressed from "#src/delivery/pipeline/Suppressed.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import * as Timeouts from "#src/delivery/pipeline/Timeouts.ts"
import { Result } from "effect"

/** The channels tried for a message that names none, best first; each only if it has a provider and an address. */
export const workspaceDefault: Routing = {
  method: "single",
  channels: ["email", "sms", "push", "direct_message", "webhook", "inbox"]
}

/** The channels there are (api.md 2.3); what a routing names besides is a provider. */
const channelIds: ReadonlySet<RoutingEntry> = new Set([...workspaceDefault.channels, "banner"])

/** What an entry of a routing says of itself. */
type Own = Partial<Omit<ChannelEntry, "channel"> & Omit<ProviderEntry, "provider">>

/**
 * Failing providers give way after this long when another one follows (api.md 26.4), in ms; the last has until the
 * message's deadline.
 */
const providerTimeout = 5 * 60_000
const channelTimeout = 30 * 60_000

/**
 * How many members of overrides are merged, and names of providers looked at, while a message is laid out: each provider of
 * each entry merges all that the message overrides, and nobody else is served meanwhile.
 */
const mostMerged = 200_000

type Limits = NonNullable<Instructions["timeout"]>

/** One timeout for all channels or providers, or each by its name. */
const limit = (given: Limits["channel"], of: (names: Readonly<Record<string, number>>) => number | undefined) =>
  typeof given === "object" && given !== null ? of(given) : given

/**
 * The question asked once of each provider: a profile may have a hundred thousand tokens, a content as many elements, and a
 * routing names a provider a hundred times.
 */
const askedOnce = (ask: (provider: Provider) => boolean): (provider: Provider) => boolean => {
  const known = new Map<Provider, boolean>()
  return (provider) => {
    const before = known.get(provider)
    if (before !== undefined) return before
    const answer = ask(provider)
    known.set(provider, answer)
    return answer
  }
}

/** A child keeps its default timeout only if another one can take over. */
const giveWay = <A extends Plan>(plans: ReadonlyArray<A>, timeout: number): ReadonlyArray<A> =>
  plans.map((plan, index) => plan.timeout === undefined && index < plans.length - 1 ? { ...plan, timeout } : plan)

/** What else decides where a message may go; if absent, nothing is left out for it. */
export interface Bounds {
  /** The only channels that it may go through. */
  readonly allowed?: ReadonlySet<string> | undefined
  /** Whether the content has something for the provider. */
  readonly isWritten?: (provider: Provider) => boolean
  readonly suppressed?: Suppressed.Suppressed
  /** Whether it is too late for the in-app inbox. */
  readonly isExpired?: boolean
  /** Told what was met on the way. */
  readonly findings?: NoWay.Findings
}

/**
 * Lays out where the message may go (api.md 26.3). Left out is a channel that is not `allowed`, or has no provider, no
 * address, or an `if` that does not hold; and a provider for which the content has nothing, unless an `override` says
 * it all. A webhook that the routing names needs no content: it is sent the data. A provider that would call an address
 * which is `suppressed` is left out too.
 */
export const plan = (
  instructions: Instructions,
  profile: Profile,
  configured: ReadonlyArray<Provider>,
  bounds: Bounds = {}
): Result.Result<Plan, Refusal.Refusal> => {
  const { allowed, findings = NoWay.none(), isExpired = false, suppressed = Suppressed.none } = bounds
  const context = { data: instructions.data ?? {}, profile }
  // One budget for all conditions: a routing may have as many as a body holds, and nobody else is served while they are
  // evaluated.
  const scan = Scan.make()

  const reaches = askedOnce((provider) => provider.reaches(profile))
  const hasWords = askedOnce(bounds.isWritten ?? (() => true))

  const overridden = Override.sizeOfAll(instructions)
  let merged = 0

  /** Pays for looking at a provider for which an entry overrides this. */
  const pays = (override: Own["override"]): boolean =>
    (merged += overridden + Override.sizeOf(override ?? undefined)) <= mostMerged

  const holds = (condition: string | null | undefined): boolean => {
    if (condition === undefined || condition === null || condition === "") return true
    const held = scan.left >= 0 ? Conditions.evaluate(condition, context, scan) : Result.succeed(false)
    if (Result.isFailure(held)) findings.invalid ??= held.failure.detail
    const holds = Result.getOrElse(held, () => false)
    if (!holds) findings.filtered = true
    return holds
  }

  const isNamedWebhook = (channel: string): boolean =>
    channel === "webhook" && instructions.routing !== undefined && instructions.routing !== null

  const saysAll = (channel: string, { override }: Own, provider: Provider): boolean =>
    Override.says(Override.of(instructions, { channel, override }, provider), provider)

  const isSuppressed = (channel: string, { override }: Own, provider: Provider): boolean => {
    if (suppressed.length === 0) return false
    const given = Override.of(instructions, { channel, override }, provider)
    const found = Suppressed.find(suppressed, provider, profile, given)
    if (found === undefined) return false
    if (!findings.suppressed.some((one) => one.channel === channel)) findings.suppressed.push(found)
    return true
  }

  const providersOf = (
    channel: string,
    settings: ChannelSettings | undefined,
    entry: Own
  ): Branch => {
    const order = namesIn(entry.providers) ?? settings?.providers
    const installed = configured.filter((provider) => provider.channel === channel)
    merged += order?.length ?? 0
    const chosen = order === undefined || order === null || merged > mostMerged
      ? installed
      : [...new Set(order.flatMap((name) => installed.filter((provider) => isNamed(provider, name))))]
    if (installed.length > 0 && chosen.length === 0) findings.missingProviderKey = true
    if (installed.length === 0 && NoWay.hasAddress(channel, profile)) findings.unserved ??= channel
    const children = chosen.flatMap((provider) => {
      const here = named(settingsIn(entry.providers), provider).at(-1)
      const override = entry.override ?? here?.override
      if (!pays(override)) return []
      const own = Settings.ofProvider(instructions, provider)
      if (!holds(own?.if) || !holds(here?.if)) return []
      if (!reaches(provider)) {
        findings.unreachable = true
        if (NoWay.hasAddress(channel, profile)) findings.unusable ??= channel
        return []
      }
      if (!hasWords(provider) && !isNamedWebhook(channel) && !saysAll(channel, { override }, provider)) {
        findings.unwritten = true
        return []
      }
      if (isSuppressed(channel, { override }, provider)) return []
      if (isExpired && provider.channel === "inbox") {
        findings.expired = true
        return []
      }
      const timeout = Timeouts.given(
        entry.timeouts,
        here?.timeouts,
        here?.timeout,
        own?.timeouts,
        own?.timeout,
        settings?.timeouts?.provider,
        limit(instructions.timeout?.provider, (names) => named(names, provider).at(-1))
      )
      const candidate = { _tag: "Candidate", channel, provider: provider.key, timeout } as const
      return [override === undefined || override === null ? candidate : { ...candidate, override }]
    })
    const method = entry.method ?? settings?.routing_method ?? "single"
    return {
      _tag: "Branch",
      method,
      channel,
      timeout: Timeouts.given(
        settings?.timeouts?.channel,
        settings?.timeout,
        limit(instructions.timeout?.channel, (names) => Object.hasOwn(names, channel) ? names[channel] : undefined)
      ),
      children: method === "single" ? giveWay(children, providerTimeout) : children
    }
  }

  const channelPlan = (channel: string, entry: Own = {}): Plan | undefined => {
    const settings = instructions.channels?.[channel]
    if (allowed?.has(channel) === false) return undefined
    if (!holds(entry.if) || !holds(settings?.if)) return undefined
    const branch = providersOf(channel, settings, entry)
    return branch.children.length === 0 ? undefined : branch
  }

  const entryPlan = (entry: RoutingEntry): Plan | undefined => {
    if (typeof entry !== "string" && "channels" in entry) return routingPlan(entry)
    findings.named = true
    if (typeof entry !== "string") {
      return "channel" in entry ? channelPlan(entry.channel, entry) : providerPlan(providerOf(entry), entry)
    }
    const isProvider = configured.some((provider) => isNamed(provider, entry) && provider.channel !== entry)
      || !(channelIds.has(entry) || configured.some(({ channel }) => channel === entry))
    return isProvider ? providerPlan(entry) : channelPlan(entry)
  }

  const providerPlan = (key: string, entry: Own = {}): Plan | undefined => {
    const provider = configured.find((provider) => isNamed(provider, key))
    if (provider === undefined) {
      findings.missingProviderKey = true
      return undefined
    }
    return channelPlan(provider.channel, { ...entry, providers: [key] })
  }

  const routingPlan = (routing: Routing): Plan | undefined => {
    const children = routing.channels.flatMap((entry) => entryPlan(entry) ?? [])
    if (children.length === 0) return undefined
    return {
      _tag: "Branch",
      method: routing.method,
      channel: undefined,
      timeout: undefined,
      children: routing.method === "single" ? giveWay(children, channelTimeout) : children
    }
  }

  const found = routingPlan(instructions.routing ?? workspaceDefault)
  if (merged > mostMerged) {
    return Result.fail(
      Refusal.undeliverable(
        "FAILED",
        "The message overrides too much, or names too many providers, for the entries of its routing"
      )
    )
  }
  if (found !== undefined) return Result.succeed(found)
  return Result.fail(NoWay.refusal(findings))
}
