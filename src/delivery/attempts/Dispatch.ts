import { environmentOf } from "#schemas/Scope.ts"
import * as Call from "#src/delivery/attempts/Call.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import { isUnmade } from "#src/delivery/attempts/position/Calls.ts"
import { added } from "#src/delivery/attempts/Settlement.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import { DeadAddresses } from "#src/delivery/pipeline/DeadAddresses.ts"
import type { Ending } from "#src/delivery/pipeline/Journey.ts"
import * as Suppressed from "#src/delivery/pipeline/Suppressed.ts"
import { Clock, Effect } from "effect"

type Ended = Call.Ended | undefined

/** A call that may have to wait. `findsOut`: it finds out whether its provider is well. */
export interface Waiting extends Call.Call {
  readonly findsOut: boolean
}

/** In ms, when a message looks again that found no slot in time. */
const again = 1_000

const inUse = "All of the provider's connections are in use"

/** The message found no slot in time. */
const late = ({ hand, intent }: Waiting): Effect.Effect<Ending> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Hand.wait(hand, now, { candidate: intent, dueAt: now + again, error: inUse })
  )

/** The lines of a call that does not begin were not shown. */
const unshown = ({ hand, lines }: Waiting): undefined => {
  hand.shown = hand.shown.filter((line) => !lines.includes(line))
}

/** What a call does while it waits, and how that ends where the shard is handed over. */
const whileWaiting = (one: Waiting): Slots.Waits<Ended> => ({
  waits: Effect.sync(() => one.hand.spare(one.hand.journey.message.id)),
  handedOver: one.hand.journey.handedOver,
  left: Effect.suspend(() => Hand.giveBack(one.hand))
})

/** The provider's rate gate is crowded: the message takes another provider meanwhile, or comes back to this one. */
const sentAway = (one: Waiting) => (wait: number, comesBack: () => void): Effect.Effect<Ending | undefined> =>
  Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Ending | undefined> => {
    const { hand, intent: { channel, provider } } = one
    if (!hand.journey.mayBegin()) return Hand.giveBack(hand)
    hand.sentAway = added(hand.sentAway, { channel, provider, until: now + Math.ceil(wait), comesBack })
    return Effect.succeed(unshown(one))
  })

/** Begins a call that has waited, unless its turn is over by then: then its message is looked at again. */
const resumed = (one: Waiting, passedAt: bigint, slots: Slots.Slots | undefined): Effect.Effect<Ended> =>
  Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Ended> => {
    const { circuit, findsOut, hand, intent, lines } = one
    if (!hand.journey.mayBegin()) return Hand.giveBack(hand)
    if ((findsOut || hand.breakers.openUntil(circuit) === undefined) && Call.isNext(one, now)) {
      const told = lines.map((line) => ({ ...line, ts: now }))
      return Call.begin({ ...one, lines: told, intent: { ...intent, startedAt: now } }, passedAt, slots)
    }
    return Effect.succeed(unshown(one))
  })

const always = Effect.succeed(true)

const concluded = (one: Waiting) => (ended: Ended): Effect.Effect<Ending | undefined> => {
  if (ended === undefined || "_tag" in ended) return Effect.succeed(ended)
  const { hand } = one
  const { dead } = hand
  const written = Effect.map(
    Hand.conclude(hand, ended, []),
    (ending) => ending ?? (isUnmade(ended) ? Hand.asDue(hand) : undefined)
  )
  if (dead === undefined) return written
  hand.dead = undefined
  hand.suppressed = [...hand.suppressed, ...Suppressed.ofDead(dead)]
  // First: the recipient's next message, which may begin once this outcome is written, is not to call the address again.
  return Effect.andThen(Effect.flatMap(DeadAddresses, (tell) => tell(dead)), written)
}

/** Makes a call once its provider's rate gate lets it and has a slot for it. */
const called = (one: Waiting): Effect.Effect<Ended> => {
  const { circuit, hand: { gates, journey }, intent: { channel, provider }, server, vendor } = one
  const { scope } = journey.message
  const slots = vendor.slots?.(server)
  const waits = whileWaiting(one)
  return gates.through<Ended>(circuit, journey.message, {
    ...waits,
    slot: (begin) =>
      slots === undefined
        ? begin(false)
        : Slots.begin<Ended>(slots, journey.message, { ...waits, begin, late: late(one) }),
    hasSlot: slots === undefined ? always : Slots.isFree(slots),
    begin: (passedAt, waited) => waited ? resumed(one, passedAt, slots) : Call.begin(one, passedAt, slots),
    sentAway: sentAway(one),
    since: journey.since,
    named: () => server === undefined ? { environment: environmentOf(scope), channel, provider } : undefined
  })
}

/**
 * Makes a call when it may begin, and writes its outcome. Answers no ending if the message goes on, as after a wait in
 * which its turn has passed. In a `suspend`, since what a call needs where it has to wait would be kept alive for the
 * thousand that do not, while their intents are committed.
 */
export const dispatch = (one: Waiting): Effect.Effect<Ending | undefined> =>
  Effect.flatMap(Effect.suspend(() => called(one)), concluded(one))
