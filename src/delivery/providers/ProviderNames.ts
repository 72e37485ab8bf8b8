import type { Attempt } from "#schemas/Attempt.ts"
import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { Configuration } from "#src/delivery/providers/ProviderConfigurations.ts"

type Named = Pick<Configuration, "alias" | "id" | "provider">

/** What a configuration's attempts are called: the oldest of a vendor has the vendor's key, others their alias or id. `all`: the oldest first. */
export const keyOf = (all: ReadonlyArray<Named>, { alias, id, provider }: Named): string =>
  all.find((other) => other.provider === provider)?.id === id ? provider : alias ?? id

/** Attempts under one name that must go by another, since a message's place in its plan is folded from their names. */
export interface Renaming {
  readonly from: string
  readonly to: string
  /** The configuration is gone: what its calls learnt of itself may not be held against who is called so next. */
  readonly isGone: boolean
}

/** What a change of an environment's configurations calls otherwise; both the oldest first. One that is gone goes by its id. */
export const renamings = (before: ReadonlyArray<Named>, after: ReadonlyArray<Named>): ReadonlyArray<Renaming> =>
  before.flatMap((was) => {
    const is = after.find(({ id }) => id === was.id)
    const [from, to] = [keyOf(before, was), is === undefined ? was.id : keyOf(after, is)]
    return from === to ? [] : [{ from, to, isGone: is === undefined }]
  })

/** What failed for the provider's sake alone: another one may do better. */
export const ownFaults: ReadonlyArray<DeliveryError["_tag"]> = [
  "Misconfigured",
  "RateLimited",
  "Unavailable",
  "Unknown"
]

const isOwnFault = ({ kind, state }: Pick<Attempt, "kind" | "state">): boolean =>
  state !== "intent" && state !== "accepted" && ownFaults.some((fault) => fault === kind)

/** An attempt by its new name. What was accepted, or refused for its recipient or content, counts for whoever is called so. */
export const renamed = <A extends Pick<Attempt, "kind" | "provider" | "state">>(
  all: ReadonlyArray<Renaming>,
  attempt: A
): A => {
  const renaming = all.find(({ from }) => from === attempt.provider)
  return renaming === undefined || (renaming.isGone && !isOwnFault(attempt))
    ? attempt
    : { ...attempt, provider: renaming.to }
}
