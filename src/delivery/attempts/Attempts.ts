import type { HistoryEvent } from "#schemas/History.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Breakers } from "#src/delivery/attempts/Breakers.ts"
import * as Call from "#src/delivery/attempts/Call.ts"
import * as Circuit from "#src/delivery/attempts/Circuit.ts"
import type { Complaint } from "#src/delivery/attempts/Complaints.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import type { Ending, Journey } from "#src/delivery/pipeline/Journey.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import type { Position } from "#src/delivery/attempts/position/Situation.ts"
import type { Write } from "#src/delivery/journal/Write.ts"
import * as Expiry from "#src/flows/Expiry.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Clock, Effect, Result } from "effect"

const rendering = Trace.stage("render")

/**
 * The attempts of one message in hand: makes them, each with its intent before and its outcome after, and knows where
 * they lead.
 */
export interface Attempts {
  readonly position: (now: number) => Position
  /**
   * Makes the next call, to the candidate that the position names. Answers an ending if the message's run ends with it.
   */
  readonly make: (candidate: Candidate, possibleDuplicate: boolean) => Effect.Effect<Ending | undefined>
  /** Closes an attempt that an earlier owner left without an outcome; done before anything else. */
  readonly closeOpen: Effect.Effect<Ending | undefined>
  /** What has been written of this message, and (`events`) the lines that its next step has to take along. */
  readonly written: () => {
    readonly routed: boolean
    readonly handedOver: boolean
    readonly events: ReadonlyArray<HistoryEvent>
  }
}

type Showing = HistoryEvent & { readonly channel: string; readonly output: Rendered }

/**
 * The line of a rendering, unless this run has shown the same in the channel before. What earlier runs have shown is
 * known to the journal (`Step.events`).
 */
const showing = ({ shown }: Hand.Hand, line: Showing): ReadonlyArray<HistoryEvent> => {
  const { channel, output } = line
  const before = shown.get(channel)
  shown.set(channel, output)
  return before !== undefined && JSON.stringify(before) === JSON.stringify(output) ? [] : [line]
}

const attempt = Effect.fnUntraced(function*(hand: Hand.Hand, candidate: Candidate, possibleDuplicate: boolean) {
  const { attempts, journey } = hand
  const { addressed, message, render } = journey
  const startedAt = yield* Clock.currentTimeMillis
  const intent = Outcome.intent(attempts.length + 1, candidate, startedAt)
  const { channel, number, provider: key } = intent
  const line = { ts: startedAt, channel, provider: key, attempt: number }
  const delivering: HistoryEvent = possibleDuplicate
    ? { ...line, type: "DELIVERING", possibleDuplicate }
    : { ...line, type: "DELIVERING" }
  const rendered = yield* rendering(Effect.result(render(candidate)))
  if (Result.isFailure(rendered)) {
    return Hand.conclude(hand, Outcome.unrendered(intent, rendered.failure.detail), [delivering])
  }
  const provider = Circuit.providerOf(journey, candidate)
  if (provider?._tag === "Vendor") {
    const override = addressed(candidate, Override.of(message.instructions, candidate, provider))
    if (Result.isFailure(override)) {
      return Hand.conclude(hand, Outcome.unrendered(intent, override.failure.detail), [delivering])
    }
    const output = Override.shown(candidate.channel, rendered.success, override.success)
    const lines = [...showing(hand, { ...line, type: "RENDERED", output }), delivering]
    return Call.make({ hand, vendor: provider, override: override.success, intent, rendered: output }, lines)
  }
  const output = rendered.success
  const lines = [...showing(hand, { ...line, type: "RENDERED", output }), delivering]
  const inbox = {
    userId: message.recipient.user_id ?? "",
    tenantId: message.recipient.tenant_id ?? undefined,
    rendered: output,
    createdAt: startedAt,
    expiresAt: Expiry.of(message.instructions, startedAt)
  }
  return Hand.conclude(hand, Outcome.accepted(intent, startedAt), lines, { inbox })
}, Effect.flatten)

const closeOpen = Effect.fnUntraced(function*(hand: Hand.Hand) {
  const open = Outcome.orphaned(hand.attempts, yield* Clock.currentTimeMillis)
  return open === undefined ? undefined : yield* Hand.conclude(hand, open, [], { orphaned: true })
})

export const make = (
  journey: Journey,
  write: Write,
  breakers: Breakers["Service"],
  complain: (complaint: Complaint) => Effect.Effect<void>
): Attempts => {
  const { attempts } = journey.message
  const hand: Hand.Hand = {
    journey,
    write,
    breakers,
    complain,
    shown: new Map(),
    attempts,
    events: journey.events,
    routed: attempts.length > 0
  }
  return {
    position: (now) => Hand.positionAt(hand, now),
    written: () => ({ routed: hand.routed, handedOver: Hand.isHandedOver(hand.attempts), events: hand.events }),
    make: (candidate, possibleDuplicate) => attempt(hand, candidate, possibleDuplicate),
    closeOpen: attempts.length === 0 ? Effect.undefined : closeOpen(hand)
  }
}
