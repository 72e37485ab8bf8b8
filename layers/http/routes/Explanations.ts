import type { ExplainRequest, ExplainResponse, PlanNode } from "#schemas/api/Explain.ts"
import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type * as Escalation from "#src/delivery/attempts/Escalation.ts"
import * as Explain from "#src/delivery/Explain.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import type { Suppressed } from "#src/delivery/pipeline/Suppressed.ts"
import type { Plan } from "#src/delivery/attempts/Plan.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"

/** A plan as the API shows it. Of several channels in order, each escalates to the next. */
export const node = (plan: Plan, escalation?: ReturnType<typeof Escalation.asked>): PlanNode =>
  plan._tag === "Candidate"
    ? { channel: plan.channel, provider: plan.provider, timeout: plan.timeout }
    : {
      method: plan.method,
      channel: plan.channel,
      timeout: plan.timeout,
      escalation: plan.method === "single" && plan.channel === undefined && plan.children.length > 1
        ? escalation
        : undefined,
      ways: plan.children.map((child) => node(child, escalation))
    }

/** What a strategy does under a script of faults, as the API shows it. */
export const explained = (
  strategy: RoutingStrategy,
  asked: ExplainRequest,
  providers: ReadonlyArray<Provider>,
  suppressed: Suppressed
): ExplainResponse => {
  const { calls, plan, ...end } = Explain.explain({
    instructions: Settings.routed({ data: asked.data, timeout: { message: asked.timeout } }, strategy),
    profile: asked.profile ?? undefined,
    providers,
    faults: (asked.faults ?? []).map(({ outcome, provider, retry_after: retryAfter, times, took }) => ({
      provider,
      outcome,
      times: times ?? 1,
      took: took ?? 0,
      retryAfter: retryAfter ?? undefined
    })),
    waits: RetryPolicy.longWaits,
    messageTimeout: RetryPolicy.messageTimeout,
    suppressed
  })
  return {
    ...end,
    plan: plan === undefined ? undefined : node(plan),
    timeline: calls.map(({ possibleDuplicate, ...call }) => ({ ...call, possible_duplicate: possibleDuplicate }))
  }
}
