import { maybe } from "#schemas/api/Maybe.ts"
import { Kind } from "#schemas/DeliveryError.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { RoutingMethod, Timeout } from "#schemas/Routing.ts"
import { Reason, Status } from "#schemas/Status.ts"
import { LeftOut } from "#schemas/Suppression.ts"
import { Schema } from "effect"

const CallOutcome = Schema.Union([Schema.Literal("Accepted"), Kind])

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 31_622_400_000 }))

/**
 * A message of the strategy, and how its providers answer. Without `profile`, every channel has an address. A provider
 * accepts once its faults are used up. Times in ms.
 */
export const ExplainRequest = Schema.Struct({
  faults: optional(
    Schema.Array(Schema.Struct({
      provider: Schema.NonEmptyString,
      outcome: CallOutcome,
      times: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))),
      took: optional(Millis),
      retry_after: optional(Millis)
    })).check(Schema.isMaxLength(100))
  ),
  profile: optional(JsonMap),
  data: optional(JsonMap),
  timeout: optional(Timeout)
})
export type ExplainRequest = typeof ExplainRequest.Type

/**
 * The next channel is tried `after` ms after one has accepted the message, unless the recipient is known by then to
 * have it (`criteria`).
 */
const Escalation = Schema.Struct({ criteria: Schema.String, after: Schema.Finite })

/**
 * Where a message may go: one provider of a channel, or several nodes, of which one in order (`single`) or each
 * (`all`). Timeouts in ms.
 */
export type PlanNode =
  | { readonly channel: string; readonly provider: string; readonly timeout?: number | undefined }
  | {
    readonly method: RoutingMethod
    readonly channel?: string | undefined
    readonly timeout?: number | undefined
    readonly escalation?: typeof Escalation.Type | undefined
    readonly ways: ReadonlyArray<PlanNode>
  }

const timeout = Schema.optional(Schema.Finite)

export const PlanNode: Schema.Codec<PlanNode> = Schema.Union([
  Schema.Struct({ channel: Schema.String, provider: Schema.String, timeout }),
  Schema.Struct({
    method: RoutingMethod,
    channel: Schema.optional(Schema.String),
    timeout,
    escalation: Schema.optional(Escalation),
    ways: Schema.Array(Schema.suspend((): Schema.Codec<PlanNode> => PlanNode))
  })
]).annotate({ title: "Plan" })

/**
 * The calls that would be made. `at` is ms since acceptance, `took` is ms. `status` is left out if the message has not
 * ended after 500 calls.
 */
export const ExplainResponse = Schema.Struct({
  plan: maybe(PlanNode),
  suppressed: maybe(Schema.Array(LeftOut)),
  timeline: Schema.Array(Schema.Struct({
    attempt: Schema.Int,
    at: Schema.Finite,
    took: Schema.Finite,
    channel: Schema.String,
    provider: Schema.String,
    outcome: CallOutcome,
    possible_duplicate: Schema.Boolean
  })),
  status: maybe(Status),
  reason: maybe(Reason),
  detail: maybe(Schema.String),
  at: Schema.Finite
})
export type ExplainResponse = typeof ExplainResponse.Type
