import { profileOf } from "../People.ts"
import type { Row } from "./Facts.ts"

/** Where a message may go, as api.md 26.3 has it; read from what was asked for, not from what the engine made of it. */
export type Way =
  | { readonly channel: string; readonly provider: string }
  | { readonly method: string; readonly inChannel: boolean; readonly children: ReadonlyArray<Way> }

/** The providers of the worlds of `Story.ts`, in their order, and the address that each needs. */
const providers = [
  { key: "inbox", channel: "inbox", address: "user_id" },
  { key: "mail", channel: "email", address: "email" },
  { key: "post", channel: "email", address: "email" },
  { key: "text", channel: "sms", address: "phone_number" },
  { key: "ring", channel: "push", address: "ring" }
]
const channels = ["email", "sms", "push", "direct_message", "webhook", "inbox"]

interface Said {
  readonly if?: string
  readonly method?: string
  readonly routing_method?: string
  readonly providers?: ReadonlyArray<string>
}

interface Entry extends Said {
  readonly channel?: string
  readonly provider?: string
  readonly channels?: ReadonlyArray<Entry | string>
}

/** What of its instructions the checks read. Times in ms. */
export interface Asked {
  readonly data?: Readonly<Record<string, unknown>>
  readonly routing?: Entry | null
  readonly channels?: Readonly<Record<string, Said>>
  readonly providers?: Readonly<Record<string, Said>>
  readonly timeout?: {
    readonly message?: number
    readonly escalation?: number
    readonly criteria?: "delivered" | "viewed" | "engaged"
  }
  readonly delay?: { readonly duration?: number; readonly until?: string }
  readonly preferences?: { readonly subscription_topic_id?: string }
}

export const askedOf = ({ instructions }: Row): Asked => JSON.parse(instructions)

const none: ReadonlySet<string> = new Set()

/**
 * The way of a message of `Story.ts` without the providers that are `gone`; `undefined`: it has none. The conditions there are `data.on`,
 * which holds, and `data.off`.
 */
export const of = (row: Row, gone: ReadonlySet<string> = none): Way | undefined => {
  const asked = askedOf(row)
  const profile = profileOf(JSON.parse(row.recipient))
  const holds = (said: Said | undefined) => said?.if !== "data.off"

  const channelOf = (channel: string, entry: Entry): Way | undefined => {
    const settings = asked.channels?.[channel]
    if (!holds(entry) || !holds(settings)) return undefined
    const installed = providers.filter((one) => one.channel === channel && !gone.has(one.key))
    const named = entry.providers ?? settings?.providers
    const order = named === undefined
      ? installed
      : [...new Set(named)].flatMap((key) => installed.filter((one) => one.key === key))
    const children = order.filter(({ address, key }) =>
      holds(asked.providers?.[key]) && typeof profile[address] === "string"
    ).map(({ key }) => ({ channel, provider: key }))
    const method = entry.method ?? settings?.routing_method ?? "single"
    return children.length === 0 ? undefined : { method, inChannel: true, children }
  }
  const providerOf = (key: string, entry: Entry): Way | undefined => {
    const provider = providers.find((one) => one.key === key)
    return provider === undefined ? undefined : channelOf(provider.channel, { ...entry, providers: [key] })
  }
  const routingOf = (entry: Entry): Way | undefined => {
    const children = (entry.channels ?? []).flatMap((child) => entryOf(child) ?? [])
    return children.length === 0 ? undefined : { method: entry.method ?? "single", inChannel: false, children }
  }
  const entryOf = (entry: Entry | string): Way | undefined => {
    if (typeof entry === "string") return channels.includes(entry) ? channelOf(entry, {}) : providerOf(entry, {})
    if (entry.channels !== undefined) return routingOf(entry)
    return entry.channel !== undefined ? channelOf(entry.channel, entry) : providerOf(entry.provider ?? "", entry)
  }
  return routingOf(asked.routing ?? { method: "single", channels })
}

export const leaves = (way: Way): ReadonlyArray<Extract<Way, { readonly provider: string }>> =>
  "provider" in way ? [way] : way.children.flatMap(leaves)

/** How many of the calls in this channel may be taken while everything is known of them; what is `escalated` may be taken again. */
export const most = (way: Way, channel: string, escalated: boolean): number => {
  if ("provider" in way) return way.channel === channel ? 1 : 0
  const each = way.children.map((child) => most(child, channel, escalated))
  return way.method === "all" || (escalated && !way.inChannel)
    ? each.reduce((sum, one) => sum + one, 0)
    : Math.max(...each)
}

/** Each platform of these has an address and a form of its own: what one refuses, the others may take. */
const ofPlatforms = new Set(["push", "direct_message"])

/** Whether nothing of the way is left: each part was taken or refused, or its turn does not come. */
export const isOver = (way: Way, attempts: Row["attempts"], goesOn: boolean): boolean => {
  const mine = (part: Way) => {
    const own = leaves(part)
    return attempts.filter(({ channel, provider }) =>
      own.some((leaf) => leaf.channel === channel && leaf.provider === provider)
    )
  }
  const succeeded = (part: Way): boolean => {
    if ("provider" in part) return mine(part).some(({ state }) => state === "accepted")
    return part.children.some(succeeded)
  }
  const over = (part: Way): boolean => {
    if ("provider" in part) return mine(part).length > 0
    if (part.method === "single" && (part.inChannel || !goesOn) && succeeded(part)) return true
    const isEnded = mine(part).some(({ channel, kind }) =>
      (kind === "ContentRejected" || kind === "RecipientRejected") && !ofPlatforms.has(channel)
    )
    return (part.inChannel && part.method === "single" && isEnded) || part.children.every(over)
  }
  return over(way)
}
