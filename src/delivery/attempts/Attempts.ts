import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import { dispatch } from "#src/delivery/attempts/Dispatch.ts"
import * as Circuit from "#src/delivery/attempts/Circuit.ts"
import * as FirstAttempt from "#src/delivery/attempts/FirstAttempt.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import * as Now from "#src/fibers/Now.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import { added } from "#src/delivery/attempts/Settlement.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import { find } from "#src/delivery/Provider.ts"
import * as NoWay from "#src/delivery/pipeline/NoWay.ts"
import * as Skipped from "#src/delivery/attempts/Skipped.ts"
import * as Expiry from "#src/flows/Expiry.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Effect, Result } from "effect"

const rendering = Trace.stage("render")

/**
 * The line of a rendering, unless this run has shown the same in the channel before. What earlier runs have shown is
 * known to the journal (`Step.events`).
 */
const showing = (hand: Hand.Hand, line: Hand.Showing): ReadonlyArray<HistoryEvent> => {
  const before = hand.shown.find(({ channel }) => channel === line.channel)
  hand.shown = added(hand.shown.filter((other) => other !== before), line)
  return before !== undefined && JSON.stringify(before.output) === JSON.stringify(line.output) ? [] : [line]
}

/** An attempt that cannot be given anything to send. */
const unrendered = (hand: Hand.Hand, intent: Attempt, { detail }: { readonly detail: string }, line: HistoryEvent) =>
  Hand.conclude(hand, Outcome.unrendered(intent, detail), [line])

/**
 * Makes the next call, to the candidate that the message's position names: writes its intent before and its outcome
 * after. Answers an ending if the message's run ends with it, and none if the provider is left alone by now.
 */
export const make = Effect.fnUntraced(function*(hand: Hand.Hand, candidate: Candidate, possibleDuplicate: boolean) {
  const instead = Skipped.instead(hand, candidate)
  if (instead !== undefined) return instead
  const { attempts, journey } = hand
  const { addressed, message, render } = journey
  const startedAt = yield* Now.millis
  const intent = Outcome.intent(attempts.length + 1, candidate, startedAt)
  const { channel, number, provider: key } = intent
  const line = { ts: startedAt, channel, provider: key, attempt: number }
  const delivering: HistoryEvent = possibleDuplicate
    ? { ...line, type: "DELIVERING", possibleDuplicate }
    : { ...line, type: "DELIVERING" }
  const found = yield* rendering(Effect.result(render(candidate)))
  const provider = find(journey.providers, candidate)
  if (provider?._tag === "Vendor") {
    const override = addressed(candidate, Override.of(message.instructions, candidate, provider))
    if (Result.isFailure(override)) return unrendered(hand, intent, override.failure, delivering)
    const given = Override.over(found, candidate.channel, override.success, provider)
    if (Result.isFailure(given)) return unrendered(hand, intent, given.failure, delivering)
    const rendered = given.success
    const server = Circuit.serverOf(journey, provider, override.success)
    const circuit = Circuit.of(journey, provider, server)
    return hand.breakers.admit(circuit, (watch) => {
      const lines = [...showing(hand, { ...line, type: "RENDERED", output: rendered }), delivering]
      return dispatch({
        hand,
        vendor: provider,
        override: override.success,
        intent,
        rendered,
        server,
        circuit,
        watch,
        findsOut: hand.breakers.openUntil(circuit) !== undefined,
        lines
      })
    })
  }
  const given = provider === undefined
    ? found
    : Override.over(found, channel, Override.of(message.instructions, candidate, provider), provider)
  if (Result.isFailure(given)) return unrendered(hand, intent, given.failure, delivering)
  // An earlier call may have lasted that long: what was over when the run began is not in its plan.
  if (Expiry.isOver(message.instructions, startedAt)) {
    return unrendered(hand, intent, { detail: NoWay.expired }, delivering)
  }
  const output = given.success
  const lines = [...showing(hand, { ...line, type: "RENDERED", output }), delivering]
  const inbox = {
    userId: message.recipient.user_id ?? "",
    tenantId: message.recipient.tenant_id ?? undefined,
    rendered: output,
    createdAt: startedAt,
    expiresAt: Expiry.of(message.instructions, startedAt)
  }
  const accepted = Outcome.accepted(intent, startedAt)
  return Effect.andThen(FirstAttempt.begins(message, intent), Hand.conclude(hand, accepted, lines, { inbox }))
}, Effect.flatten)

/** Closes an attempt that an earlier owner left without an outcome; done before anything else. */
export const closeOpen = Effect.fnUntraced(function*(hand: Hand.Hand) {
  const open = Outcome.orphaned(hand.attempts, yield* Now.millis)
  return open === undefined ? undefined : yield* Hand.conclude(hand, open, [], { orphaned: true })
})
