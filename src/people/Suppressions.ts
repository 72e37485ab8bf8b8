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

/** What suppresses an address. `provider` told of it, in these words without addresses; `undefined`: nobody but a person did. */
export interface Suppressing extends Address {
  readonly reason: SuppressionReason
  readonly provider: string | undefined
  readonly detail: string | undefined
}

/** An address that is sent to no more. Times in epoch ms; without `expires`, until it is removed. */
export interface Suppression extends Suppressing {
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

/** When what was told at `now` is over, in epoch ms. */
export const expiryOf = (reason: SuppressionReason, now: number): number | undefined =>
  reason === "BOUNCED" ? now + bounceCounts : undefined

const strengthOf = (reason: SuppressionReason): number => SuppressionReason.literals.indexOf(reason)

/** Whether what is said now replaces what holds: what would expire by itself gives way to anything, the rest to a stronger reason. */
export const replaces = (
  { reason }: Pick<Suppressing, "reason">,
  held: Pick<Suppression, "expires" | "reason">
): boolean => held.expires !== undefined || strengthOf(reason) > strengthOf(held.reason)

const nameOf = ({ address, channel }: Address): string => `${channel} ${address}`

/** One for each address, the first of the strongest, in an order of their own: two writers who lock rows in it cannot deadlock. */
export const strongest = (all: ReadonlyArray<Suppressing>): ReadonlyArray<Suppressing> => {
  const found = new Map<string, Suppressing>()
  for (const one of all) {
    const held = found.get(nameOf(one))
    if (held === undefined || strengthOf(one.reason) > strengthOf(held.reason)) found.set(nameOf(one), one)
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
  /** Suppresses these from now on, where that `replaces` what holds. Answers whether anything changed. */
  readonly add: (scope: Scope, all: ReadonlyArray<Suppressing>) => Effect.Effect<boolean, StoreUnavailable>
  readonly get: (scope: Scope, address: Address) => Effect.Effect<Suppression, SuppressionNotFound | StoreUnavailable>
  /** Newest first. */
  readonly list: (
    scope: Scope,
    query: SuppressionQuery
  ) => Effect.Effect<Page<Suppression>, InvalidCursor | StoreUnavailable>
  /** Frees the address. */
  readonly remove: (scope: Scope, address: Address) => Effect.Effect<void, SuppressionNotFound | StoreUnavailable>
  /** Deletes up to `limit` that have expired; answers how many. */
  readonly sweep: (limit: number) => Effect.Effect<number, StoreUnavailable>
}>()("tidings/Suppressions") {}
