import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, Struct } from "effect"

/** How many requests of one kind a workspace may make in a minute. */
export interface Rule {
  readonly name: LimitedKind
  readonly limit: number
  /**
   * What the requests are about, if they are counted for each such thing; absent if all of the kind are counted
   * together.
   */
  readonly of?: string
}

/** The name of a rule's counter within a workspace. */
export const counterOf = ({ name, of }: Rule): string => of === undefined ? name : `${name}/${of}`

/** The length of a window, in ms; windows begin at whole minutes. */
export const windowMs = 60_000

export const windowStart = (now: number): number => now - now % windowMs

/** `count`: requests in this window, with this one; a store may stop counting at one above the limit. */
export interface Taken {
  readonly count: number
  /** When the window ends: epoch ms. */
  readonly endsAt: number
}

/**
 * Counts limited requests. A store may forget counters at any time, since they are worthless after a minute; a caller
 * then gets more than its limit, never less.
 */
export class RateLimits extends Context.Service<RateLimits, {
  readonly take: (scope: Scope, rule: Rule) => Effect.Effect<Taken, StoreUnavailable>
}>()("tidings/RateLimits") {}

/**
 * The scope under which a workspace's requests are counted: limits apply to the workspace, not to an environment
 * (api.md 1.7).
 */
export const workspaceOf = (scope: Scope): number => scope - (scope + 1) % 2

/** Limits per minute by kind of request; `0`: unlimited. */
export type Limits = Readonly<Record<LimitedKind, number>>

/** The kinds of request that can be limited, and their routes; parameters are written `:id`. */
export const routes = {
  "list-subscriptions": "POST /lists/:id/subscriptions",
  "lists": "PUT /lists/:id",
  "brands": "PUT /brands/:id",
  "resends": "POST /messages/:id/resend"
} as const
export type LimitedKind = keyof typeof routes

/**
 * Whether requests of a kind are counted for each thing. Resends are counted for each message: how often one is resent
 * does not depend on what else the workspace resends (api.md 1.7).
 */
export const isPerThing = (name: LimitedKind): boolean => name === "resends"

export const defaults: Limits = { "list-subscriptions": 20, "lists": 20, "brands": 200, "resends": 10 }

export const kinds: ReadonlyArray<LimitedKind> = Struct.keys(routes)

const isKind = (name: string): name is LimitedKind => Object.hasOwn(routes, name)

/**
 * Reads `TIDINGS_RATE_LIMITS`: `lists=20,brands=200`. Kinds that it does not name keep their defaults. `undefined` if
 * it is malformed.
 */
export const parse = (text: string): Limits | undefined => {
  const limits = { ...defaults }
  for (const entry of text.split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const [, name = "", number = ""] = /^([a-z-]+)=(\d{1,9})$/.exec(entry) ?? []
    if (!isKind(name)) return undefined
    limits[name] = Number(number)
  }
  return limits
}

/** The limits that the operator set (`TIDINGS_RATE_LIMITS`). */
export const RateLimitTable = Context.Reference<Limits>("tidings/RateLimitTable", { defaultValue: () => defaults })
