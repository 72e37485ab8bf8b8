import type { Attempt } from "#schemas/Attempt.ts"
import type { Unknown } from "#schemas/History.ts"
import type { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import type { Reason, Status } from "#schemas/Status.ts"
import type { LeftOut } from "#schemas/Suppression.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import * as Drafts from "#src/delivery/intake/Drafts.ts"
import * as Escalation from "#src/delivery/attempts/Escalation.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import type { Candidate, Plan } from "#src/delivery/attempts/Plan.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import { find } from "#src/delivery/Provider.ts"
import * as Render from "#src/delivery/pipeline/Render.ts"
import type * as Refusal from "#src/delivery/pipeline/Refusal.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import { reasonOf } from "#src/delivery/attempts/Settlement.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import * as Throttling from "#src/delivery/pipeline/Throttling.ts"
import { type Given, inTime, show, type Shown } from "#src/delivery/rehearsals/Shown.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { harmless, PreferenceLinks } from "#src/people/PreferenceLinks.ts"
import { Clock, Context, Effect, Layer, Result } from "effect"

/** What would become of a message if every provider accepted. `dueAt`: a delay's end, in epoch ms. */
export interface Rehearsed {
  readonly recipient: string
  readonly status: Status
  readonly reason: Reason | undefined
  readonly error: string | undefined
  readonly dueAt: number | undefined
  readonly preferences: PreferenceDecision | undefined
  /** The channels that are left out, since the recipient's address is suppressed; `undefined`: none. */
  readonly suppressed: ReadonlyArray<LeftOut> | undefined
  /** What it names and does not exist. */
  readonly unknown: Unknown | undefined
  readonly plan: Plan | undefined
  readonly escalation: ReturnType<typeof Escalation.asked>
  readonly outputs: ReadonlyArray<Shown>
}

/** Messages that are not sent: nothing is stored and no provider is called. */
export class Rehearsals extends Context.Service<Rehearsals, {
  /** Runs the stages of the pipeline up to the provider call, for each recipient. */
  readonly send: (
    principal: Principal,
    message: SendMessage
  ) => Effect.Effect<ReadonlyArray<Rehearsed>, Drafts.SendRefused | StoreUnavailable>
}>()("tidings/Rehearsals") {}

const together = 4

/** Most calls that are tried while one provider's rendering after the other fails. */
const mostCalls = 100

export const layer = Layer.effect(
  Rehearsals,
  Effect.gen(function*() {
    const { decide, wait } = yield* Stages.make
    const limits = yield* Throttling.make(() => Effect.void)
    // Who looks is not the recipient, whose preferences the links must not change.
    const { addressed, render } = yield* Effect.provideService(Render.make, PreferenceLinks, yield* harmless)
    const newId = yield* Ids.generator
    const shards = yield* ShardCount

    /** What the candidate would be given, if what overrides it can be filled in too. */
    const given = (decision: Stages.Decision, candidate: Candidate, at: number): Given => {
      const { message: { instructions }, providers } = decision
      const provider = find(providers, candidate)
      const rendering = render(decision, at)(candidate)
      if (provider === undefined) return rendering
      const written = Override.of(instructions, candidate, provider)
      const filled = provider._tag === "Vendor" ? addressed(decision, at)(candidate, written) : Result.succeed(written)
      return Effect.flatMap(Effect.result(rendering), (found) =>
        Effect.fromResult(
          Result.flatMap(filled, (override) => Override.over(found, candidate.channel, override, provider))
        ))
    }

    const rehearse = Effect.fnUntraced(function*(message: OpenMessage, at: number) {
      const decision = yield* decide(message, at)
      yield* limits.look(decision, at)
      const outputs: Array<Shown> = []
      let attempts: ReadonlyArray<Attempt> = []
      let now = at
      const place = () =>
        position(decision.plan, attempts, {
          id: message.id,
          now,
          deadline: at + RetryPolicy.messageTimeout,
          waits: RetryPolicy.longWaits,
          unknownWait: 0,
          openUntil: () => undefined
        })
      let next = place()
      while (next._tag === "Next" && outputs.length < mostCalls) {
        now = Math.max(now, next.at)
        const shown = yield* show(next.candidate, given(decision, next.candidate, now))
        outputs.push(shown)
        const intent = Outcome.intent(attempts.length + 1, next.candidate, now)
        attempts = [
          ...attempts,
          shown.error === undefined ? Outcome.accepted(intent, now) : Outcome.unrendered(intent, shown.error)
        ]
        next = place()
      }
      const last = next._tag === "Failed" ? next.last : undefined
      return {
        preferences: decision.preferences,
        suppressed: decision.suppressed.length === 0 ? undefined : decision.suppressed,
        unknown: decision.unknown,
        plan: decision.plan,
        escalation: Escalation.asked(decision.message.instructions),
        outputs,
        status: next._tag === "Failed" ? "UNDELIVERABLE" as const : "SENT" as const,
        reason: next._tag === "Failed" ? reasonOf(last) : undefined,
        error: last?.error ?? undefined
      }
    })

    const refused = ({ decision, detail, event, reason, suppressed, unknown }: Refusal.Refusal) =>
      Effect.succeed({
        preferences: decision,
        suppressed,
        unknown,
        plan: undefined,
        escalation: undefined,
        outputs: [],
        status: Lifecycle.next("ENQUEUED", event),
        reason,
        error: detail
      })

    const one = Effect.fnUntraced(
      function*(recipient: string, message: OpenMessage, asked: number): Effect.fn.Return<Rehearsed> {
        const from = Math.max(asked, message.dueAt)
        const accepted = message.dueAt === 0 ? undefined : message.dueAt
        const waited = yield* Effect.result(wait(message, from))
        if (Result.isFailure(waited)) return { recipient, dueAt: accepted, ...(yield* refused(waited.failure)) }
        const dueAt = waited.success
        const end = yield* rehearse(message, dueAt ?? from).pipe(Effect.catchTag("Refusal", refused))
        return { recipient, dueAt: dueAt ?? accepted, ...end }
      }
    )

    return Rehearsals.of({
      send: Effect.fnUntraced(function*(principal, { to, ...instructions }) {
        const at = yield* Clock.currentTimeMillis
        const requestId = yield* newId(at)
        const { expansion, messages } = yield* Drafts.make({ principal, requestId, to, instructions, at, shards })
        if (expansion !== undefined) {
          return yield* new Drafts.SendRefused({
            detail: "message.to: a dry run is of at most 100 users or addresses, not of groups"
          })
        }
        return yield* Effect.forEach(messages, (message) => one(message.recipientName, message, at), {
          concurrency: together
        })
      }, inTime)
    })
  })
)
