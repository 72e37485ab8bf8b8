import type { HistoryEvent } from "#schemas/History.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { NothingToSay, RenderFailed } from "#src/content/Content.ts"
import type { StepResult } from "#src/delivery/Journal.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Candidate, Plan } from "#src/delivery/attempts/Plan.ts"
import type { Situation } from "#src/delivery/attempts/position/Situation.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import type { Effect, Result, Schema } from "effect"

/** In whose hands a message runs. */
export interface Hands {
  readonly epoch: number
  /** Whether a call may still begin that had to wait, since the shard is not being handed over. */
  readonly mayBegin: () => boolean
  /** Done once it is: whoever waits then leaves. */
  readonly handedOver: Effect.Effect<void>
}

/** A message on its way: what the stages before found. */
export interface Journey extends Hands {
  readonly message: OpenMessage
  /** Since when it is due, as far as that is known without its recipient, in epoch ms. */
  readonly since: number
  readonly plan: Plan
  readonly profile: Profile
  readonly data: Schema.JsonObject
  readonly providers: ReadonlyArray<Provider>
  readonly render: (candidate: Candidate) => Effect.Effect<Rendered, RenderFailed | NothingToSay>
  /** What a candidate's payload is overridden with, its variables filled in. */
  readonly addressed: (candidate: Candidate, override: JsonMap) => Result.Result<JsonMap, RenderFailed>
  readonly situation: Omit<Situation, "now" | "openUntil">
  /** What the recipient's preferences make of it now. */
  readonly preferences: PreferenceDecision | undefined
  /** Lines of the timeline to be written with the first step. */
  readonly events: ReadonlyArray<HistoryEvent>
}

/**
 * `Closed`: nothing is left to do. `Waiting`: a row waits until `dueAt` (epoch ms). `Fenced`: another owner has the
 * shard.
 */
export type Ending =
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Waiting"; readonly dueAt: number }
  | { readonly _tag: "Fenced" }

export const closed: Ending = { _tag: "Closed" }
export const fenced: Ending = { _tag: "Fenced" }

/** What the last step of a run leads to. `dueAt` as the step had it: null closes the message. */
export const endingOf = (result: StepResult, dueAt: number | null): Ending => {
  if (result._tag === "Fenced") return fenced
  const at = result._tag === "Written" ? result.stirred ?? dueAt : null
  return at === null ? closed : { _tag: "Waiting", dueAt: at }
}
