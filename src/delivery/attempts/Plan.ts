import type { JsonMap } from "#schemas/Optional.ts"
import type { RoutingMethod } from "#schemas/Routing.ts"

/** One provider of one channel for this message. Timeouts in ms, each counted from the first attempt it covers. */
export interface Candidate {
  readonly _tag: "Candidate"
  readonly channel: string
  readonly provider: string
  readonly timeout: number | undefined
  /** What its place in the routing changes of its payload. */
  readonly override?: JsonMap
}

/**
 * Branches tried in order until one succeeds (`single`) or each for itself (`all`). `channel` marks the providers of
 * one channel.
 */
export interface Branch {
  readonly _tag: "Branch"
  readonly method: RoutingMethod
  readonly channel: string | undefined
  readonly timeout: number | undefined
  readonly children: ReadonlyArray<Plan>
}

/** Where a message may go, in the order it was routed; the value that runs, and that an operator can print. */
export type Plan = Candidate | Branch

export const candidates = (plan: Plan): ReadonlyArray<Candidate> =>
  plan._tag === "Candidate" ? [plan] : plan.children.flatMap(candidates)

/** The plan without these candidates, and without branches of which nothing is left. */
export const without = (plan: Plan, out: ReadonlyArray<Candidate>): Plan =>
  plan._tag === "Candidate" ? plan : {
    ...plan,
    children: plan.children.flatMap((child) => {
      if (child._tag === "Candidate") return out.includes(child) ? [] : [child]
      const left = without(child, out)
      return candidates(left).length === 0 ? [] : [left]
    })
  }
