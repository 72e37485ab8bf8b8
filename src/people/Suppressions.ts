import type { Scope } from "#schemas/Scope.ts"
import { type SuppressionChannel, SuppressionReason } from "#schemas/Suppression.ts"
import * as Text from "#schemas/Text.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** The address is not suppressed: 404. */
export class SuppressionNotFound
  extends Schema.TaggedError<SuppressionNotFound>()("SuppressionNotFound", { address: Schema.String })
{}

/** An address of a channel, in the spelling of `SuppressedAddress`. */
export interface Address {
  readonly channel: SuppressionChannel
  readonly address: string
}

interface Why extends Address {
  readonly reason: SuppressionReason
  readonly provider: string | undefined
  readonly detail: string | undefined
}

/**
 * What suppresses an address. `provider` told of it, in these words without addresses; `undefined`: nobody but a person
 * did. `at`: when it happened, in epoch ms by the provider's clock, which is the same at every repeat; without it, it
 * happens now, whatever any clock says.
 */
export interface Suppressing extends Why {
  readonly at?: number | undefined
}

/** An address that is sent to no more. Times in epoch ms: of what suppressed it, and, if it ends by itself, of its end. */
export interface Suppression extends Why {
  readonly created: number
  readonly expires: number | undefined
}

/** Which suppressions are listed, and which page of them. */
export interface SuppressionQuery extends PageQuery {
  readonly channel: SuppressionChannel | undefined
  readonly reason: SuppressionReason | undefined
}

/**
 * How long a bounce counts, in ms. Then the address is tried once more: a relay that was set up wrongly must not silence
 * people for good.
 */
const bounceCounts = 30 * 86_400_000

/** How long it is remembered that an address was freed, in ms: longer than any vendor repeats what came before. */
export const freeCounts = bounceCounts

/** When what happened at this time is over, in epoch ms. */
const expiryOf = (reason: SuppressionReason, at: number): number | undefined =>
  reason === "BOUNCED" ? at + bounceCounts : undefined

/**
 * What is told at `now`, in epoch ms, of each address, as `strongest`, with its times: nothing has happened later than
 * now, and what is over suppresses nobody. `isDated`: its provider says when it happened.
 */
export const timed = (all: ReadonlyArray<Suppressing>, now: number) =>
  strongest(all).flatMap(({ at, ...one }) => {
    const created = Math.floor(Math.max(0, Math.min(at ?? now, now)))
    const row = { ...one, created, expires: expiryOf(one.reason, created), isDated: at !== undefined }
    return (row.expires ?? Infinity) > now ? [row] : []
  })

const strengthOf = (reason: SuppressionReason): number => SuppressionReason.literals.indexOf(reason)

/** A suppression as it is kept. `freed`: when the address was last freed, in epoch ms. */
export interface Held extends Pick<Suppression, "created" | "expires" | "reason"> {
  readonly freed: number | undefined
}

/**
 * Whether what is told replaces what is held: what would expire by itself gives way to what happened later, anything to
 * a stronger reason. What happened before the address was freed changes nothing, such as a callback that is repeated.
 */
export const replaces = (
  { created, isDated, reason }: Pick<Suppression, "created" | "reason"> & { readonly isDated: boolean },
  held: Held
): boolean => {
  const at = isDated ? created : Infinity
  return at > (held.freed ?? -1) &&
    ((held.expires !== undefined && at > held.created) || strengthOf(reason) > strengthOf(held.reason))
}

const nameOf = ({ address, channel }: Address): string => `${channel} ${address}`

/** Whether one counts in place of another: it is stronger, or as strong and happened later. */
const outdoes = (one: Suppressing, other: Suppressing): boolean => {
  const more = strengthOf(one.reason) - strengthOf(other.reason)
  return more > 0 || (more === 0 && (one.at ?? Infinity) > (other.at ?? Infinity))
}

/**
 * One for each address, the last to happen of the strongest, in an order of their own: two writers who lock rows in it
 * cannot deadlock.
 */
export const strongest = (all: ReadonlyArray<Suppressing>): ReadonlyArray<Suppressing> => {
  const found = new Map<string, Suppressing>()
  for (const one of all) {
    const held = found.get(nameOf(one))
    if (held === undefined || outdoes(one, held)) found.set(nameOf(one), one)
  }
  return [...found.values()].toSorted((a, b) => Text.compare(nameOf(a), nameOf(b)))
}

/**
 * The addresses of an environment that are sent to no more, whoever they belong to. One that has expired counts as
 * absent everywhere.
 */
export class Suppressions extends Context.Service<Suppressions, {
  /**
   * Why the address is suppressed now; `undefined`: it is not. Batched: calls of one turn of the event loop share a
   * statement.
   */
  readonly reason: (scope: Scope, address: Address) => Effect.Effect<SuppressionReason | undefined, StoreUnavailable>
  /** Suppresses these, where that `replaces` what is held. Answers whether anything changed. */
  readonly add: (scope: Scope, all: ReadonlyArray<Suppressing>) => Effect.Effect<boolean, StoreUnavailable>
  readonly get: (scope: Scope, address: Address) => Effect.Effect<Suppression, SuppressionNotFound | StoreUnavailable>
  /** Newest first. */
  readonly list: (
    scope: Scope,
    query: SuppressionQuery
  ) => Effect.Effect<Page<Suppression>, InvalidCursor | StoreUnavailable>
  /** Frees the address, and remembers that for `freeCounts`: what happened before suppresses it no more. */
  readonly remove: (scope: Scope, address: Address) => Effect.Effect<void, SuppressionNotFound | StoreUnavailable>
  /** Deletes up to `limit` that have expired, or were freed so long ago; answers how many. */
  readonly sweep: (limit: number) => Effect.Effect<number, StoreUnavailable>
}>()("tidings/Suppressions") {}
