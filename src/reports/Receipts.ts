import { epochMillis, type MessageId } from "#schemas/MessageId.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Reason } from "#schemas/Status.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Text from "#schemas/Text.ts"
import { Journal, type Observation, type Observed } from "#src/delivery/Journal.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { References } from "#src/reports/References.ts"
import { words } from "#src/reports/Words.ts"
import { Array, Clock, Context, type Duration, Effect, Layer } from "effect"

/** What a provider may report of a message that it accepted. */
export type ReceiptEvent = "Deliver" | "Open" | "Click" | "Bounce"

/**
 * A provider's verified report on one message. It names the message by our own id, if the request to the provider
 * carried that: then it may come even before its call's outcome is stored. Otherwise it is found by the provider's
 * reference.
 */
export interface Receipt {
  /** The provider's id of this event, the same at every repeat of it. */
  readonly id: string
  readonly event: ReceiptEvent
  readonly messageId: MessageId | undefined
  /** The number of the attempt, if the request to the provider carried it. */
  readonly attempt: number | undefined
  readonly reference: string | undefined
  /** Epoch ms by the provider's clock; `undefined`: the time at which it came. */
  readonly at: number | undefined
  /** Why it bounced, in the provider's words. */
  readonly detail: string | undefined
  /** It was not even sent, since its recipient had unsubscribed or complained there. */
  readonly isUnwanted?: boolean
}

/** Updates messages by what providers report of them (api.md 25.2). */
export class Receipts extends Context.Service<Receipts, {
  /**
   * Applies verified receipts, in any order and number. Repeats and receipts for unknown messages have no effect.
   * `providers`: the names under which the calls that they are about may be stored. After a `StoreUnavailable` some may
   * have been applied; it is safe to apply all again.
   */
  readonly apply: (
    scope: Scope,
    providers: ReadonlyArray<string>,
    receipts: ReadonlyArray<Receipt>
  ) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/Receipts") {}

const types = { Deliver: "DELIVERED", Open: "OPENED", Click: "CLICKED", Bounce: "UNDELIVERABLE" } as const

/**
 * A receipt that names its message by the provider's reference alone may come before the reference is stored, with the
 * outcome of its call; and not every provider repeats what is answered with an error. So it is looked for once more
 * after each of these waits; a provider waits longer than that for its answer.
 */
const looks: ReadonlyArray<Duration.Input> = ["1 second", "2 seconds"]

/**
 * How many receipts are looked up and written to the store at once. A vendor sends thousands in one callback, and waits
 * for its answer for some seconds; but an embedded store does nothing else meanwhile.
 */
const together = 50

const longestName = 200

/** The time of a receipt: never before the message was accepted nor after now, whatever the provider's clock says. */
const timeOf = (receipt: Receipt, id: MessageId, now: number): number =>
  Math.min(now, Math.max(receipt.at ?? now, epochMillis(id)))

/** Why a message ends: as one whose address is suppressed here, if its provider has suppressed it. */
const reasonOf = ({ isUnwanted = false }: Receipt): Reason => isUnwanted ? "UNSUBSCRIBED" : "BOUNCED"

/** The reference as it is stored. */
const referenceOf = ({ reference }: Receipt): string | undefined =>
  reference === undefined ? undefined : Outcome.referenceOf(reference)

const entry = (receipt: Receipt, at: number): HistoryEvent => {
  const reference = referenceOf(receipt)
  return {
    type: types[receipt.event],
    ts: at,
    ...(reference === undefined ? {} : { reference }),
    ...(receipt.event === "Bounce" ? { reason: reasonOf(receipt) } : {}),
    ...(receipt.detail === undefined ? {} : { error: words(receipt.detail) })
  }
}

/** Counts what is told for the first time. `providers`: the names of the configuration whose callback it is. */
const counted = (
  [configured = "unknown"]: ReadonlyArray<string>,
  events: ReadonlyArray<Observed>,
  observations: ReadonlyArray<Observation | undefined>
): Effect.Effect<void> =>
  Effect.forEach(events, ({ event }, n) => {
    const { provider = configured, repeated = true } = observations[n] ?? {}
    return repeated ? Effect.void : Metrics.update(Metrics.receipts({ provider, event }), 1)
  }, { discard: true })

/** A receipt and the message it is about. */
interface Named {
  readonly id: MessageId
  readonly receipt: Receipt
}

/**
 * The order of events with the same time; many providers tell whole seconds only. Deliver comes first, since an open or
 * click proves that the message had arrived.
 */
const ranks: Record<ReceiptEvent, number> = { Deliver: 0, Open: 1, Click: 2, Bounce: 3 }

/**
 * Orders the receipts of a batch by their messages, since one may name its message by our id and another by the
 * provider's reference; and so that their order in the callback does not matter (api.md 26.2).
 */
const inOrder = (one: Named, other: Named): number => {
  if (one.id !== other.id) return one.id < other.id ? -1 : 1
  const [a, b] = [one.receipt, other.receipt]
  const [first, second] = [a.at ?? Infinity, b.at ?? Infinity]
  if (first !== second) return first - second
  return ranks[a.event] - ranks[b.event] || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

/** What the store is told of a receipt that came at `now`, in epoch ms. */
const observed = (scope: Scope, providers: ReadonlyArray<string>, { id, receipt }: Named, now: number): Observed => ({
  scope,
  id,
  event: receipt.event,
  history: entry(receipt, timeOf(receipt, id, now)),
  reason: receipt.event === "Bounce" ? reasonOf(receipt) : undefined,
  eventId: Text.stored(receipt.id, longestName),
  call: { providers, number: receipt.attempt, reference: referenceOf(receipt) }
})

export const layer = Layer.effect(
  Receipts,
  Effect.gen(function*() {
    const journal = yield* Journal
    const references = yield* References

    /** The receipts whose messages are found. */
    const named = Effect.fnUntraced(function*(
      scope: Scope,
      providers: ReadonlyArray<string>,
      receipts: ReadonlyArray<Receipt>
    ) {
      const wanted = new Set(
        receipts.flatMap((receipt) => receipt.messageId === undefined ? referenceOf(receipt) ?? [] : [])
      )
      const known = new Map<string, MessageId>()
      for (const some of Array.chunksOf(wanted, together)) {
        for (const [reference, id] of yield* references.find(scope, providers, some)) known.set(reference, id)
      }
      return receipts.flatMap((receipt): ReadonlyArray<Named> => {
        const id = receipt.messageId ?? known.get(referenceOf(receipt) ?? "")
        return id === undefined ? [] : [{ id, receipt }]
      })
    })

    /** Applies those whose messages are found, and then the others once theirs are: nobody's waits for them. */
    const applying = (
      scope: Scope,
      providers: ReadonlyArray<string>,
      receipts: ReadonlyArray<Receipt>,
      [wait, ...waits]: ReadonlyArray<Duration.Input> = looks
    ): Effect.Effect<void, StoreUnavailable> =>
      Effect.gen(function*() {
        const found = yield* named(scope, providers, receipts)
        const now = yield* Clock.currentTimeMillis
        for (const some of Array.chunksOf(found.toSorted(inOrder), together)) {
          const events = some.map((one) => observed(scope, providers, one, now))
          yield* counted(providers, events, yield* journal.observeAll(events))
        }
        const done = new Set(found.map(({ receipt }) => receipt))
        const left = receipts.filter((receipt) => receipt.reference !== undefined && !done.has(receipt))
        if (wait !== undefined && left.length > 0) {
          yield* Effect.delay(applying(scope, providers, left, waits), wait)
        }
      })

    const apply: Receipts["Service"]["apply"] = Effect.fn("Receipts.apply")((scope, providers, receipts) =>
      applying(scope, providers, receipts)
    )
    return Receipts.of({ apply })
  })
)
