import type { Attempt } from "#schemas/Attempt.ts"
import type { Kind } from "#schemas/DeliveryError.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Reason, Status } from "#schemas/Status.ts"
import type { LeftOut } from "#schemas/Suppression.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import type { Candidate, Plan } from "#src/delivery/attempts/Plan.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { type Called, find, isNamed, type Provider } from "#src/delivery/Provider.ts"
import * as NoWay from "#src/delivery/pipeline/NoWay.ts"
import * as Routing from "#src/delivery/Routing.ts"
import { reasonOf } from "#src/delivery/attempts/Settlement.ts"
import * as Suppressed from "#src/delivery/pipeline/Suppressed.ts"
import * as Timeouts from "#src/delivery/pipeline/Timeouts.ts"
import { Result } from "effect"

/** What a provider's next `times` calls come to; after its faults it accepts. Times in ms. */
export interface Fault {
  readonly provider: string
  readonly outcome: Kind | "Accepted"
  readonly times: number
  readonly took: number
  readonly retryAfter: number | undefined
}

/** One call that would be made. `at` and `took` in ms, from the acceptance of the message on. */
export interface Call extends Called {
  readonly attempt: number
  readonly at: number
  readonly took: number
  readonly outcome: Kind | "Accepted"
  readonly possibleDuplicate: boolean
}

/**
 * What would become of a message. `status` is `undefined` when it was not at its end after the most calls that are
 * explained.
 */
export interface Explained {
  readonly plan: Plan | undefined
  /** The channels that are left out, since the recipient's address is suppressed; `undefined`: none. */
  readonly suppressed: ReadonlyArray<LeftOut> | undefined
  readonly calls: ReadonlyArray<Call>
  readonly status: Status | undefined
  readonly reason: Reason | undefined
  readonly detail: string | undefined
  readonly at: number
}

/** Always the same id, so that the jitter is always the same. */
const nobody = MessageId.make("1-00000000-000000000000000000000000")

const mostCalls = 500

/** Answers each provider's calls from its faults, in their order. */
const script = (faults: ReadonlyArray<Fault>, providers: ReadonlyArray<Provider>) => {
  const made = new Map<Fault, number>()
  return (candidate: Candidate): Fault | undefined => {
    const provider = find(providers, candidate)
    const fault = faults.find((fault) =>
      provider !== undefined && isNamed(provider, fault.provider) && (made.get(fault) ?? 0) < fault.times
    )
    if (fault !== undefined) made.set(fault, (made.get(fault) ?? 0) + 1)
    return fault
  }
}

const concluded = (intent: Attempt, fault: Fault | undefined): Attempt => {
  const endedAt = intent.startedAt + (fault?.took ?? 0)
  if (fault === undefined || fault.outcome === "Accepted") return Outcome.accepted(intent, endedAt)
  const { outcome: kind, retryAfter } = fault
  return {
    ...intent,
    state: kind === "Unknown" ? "unknown" : "rejected",
    kind,
    endedAt,
    retryAfter: retryAfter ?? null
  }
}

/**
 * The calls that a message would lead to if its providers answered like this: laid out, placed and timed by the very
 * values that run, with every circuit breaker closed. `waits` and `messageTimeout` in ms.
 */
export const explain = (input: {
  readonly instructions: Instructions
  /** `undefined`: a recipient whom every provider reaches. */
  readonly profile: Profile | undefined
  readonly providers: ReadonlyArray<Provider>
  readonly faults: ReadonlyArray<Fault>
  readonly waits: ReadonlyArray<number>
  readonly messageTimeout: number
  /** Of the profile's addresses; if absent: none. */
  readonly suppressed?: Suppressed.Suppressed
}): Explained => {
  const { faults, instructions, messageTimeout, profile, suppressed = Suppressed.none, waits } = input
  const providers = profile === undefined
    ? input.providers.map((provider): Provider => ({ ...provider, reaches: () => true }))
    : input.providers
  const findings = NoWay.none()
  const planned = Routing.plan(instructions, profile ?? {}, providers, { suppressed, findings })
  if (Result.isFailure(planned)) {
    const { detail, event, reason, suppressed: all } = planned.failure
    return {
      plan: undefined,
      suppressed: all,
      calls: [],
      status: Lifecycle.next("ENQUEUED", event),
      reason,
      detail,
      at: 0
    }
  }
  const plan = planned.success
  const leftOut = Suppressed.leftOut(findings.suppressed, plan)
  const laidOut = { plan, suppressed: leftOut.length === 0 ? undefined : leftOut }
  const answer = script(faults, providers)
  const deadline = Timeouts.given(instructions.timeout?.message) ?? messageTimeout
  const calls: Array<Call> = []
  let attempts: ReadonlyArray<Attempt> = []
  let now = 0
  while (calls.length < mostCalls) {
    const next = position(plan, attempts, {
      id: nobody,
      now,
      deadline,
      waits,
      unknownWait: 0,
      openUntil: () => undefined
    })
    if (next._tag === "Succeeded") {
      return { ...laidOut, calls, status: "SENT", reason: undefined, detail: undefined, at: now }
    }
    if (next._tag === "Failed") {
      return { ...laidOut, calls, status: "UNDELIVERABLE", reason: reasonOf(next.last), detail: undefined, at: now }
    }
    if (next.at > now) {
      now = next.at
      continue
    }
    const attempt = concluded(Outcome.intent(attempts.length + 1, next.candidate, now), answer(next.candidate))
    calls.push({
      attempt: attempt.number,
      at: now,
      took: (attempt.endedAt ?? now) - now,
      channel: attempt.channel,
      provider: attempt.provider,
      outcome: attempt.kind ?? "Accepted",
      possibleDuplicate: next.possibleDuplicate
    })
    attempts = [...attempts, attempt]
    now = attempt.endedAt ?? now
  }
  return { ...laidOut, calls, status: undefined, reason: undefined, detail: undefined, at: now }
}
