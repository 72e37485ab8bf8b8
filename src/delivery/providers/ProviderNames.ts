import type { Attempt } from "#schemas/Attempt.ts"
import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { Configuration } from "#src/delivery/providers/ProviderConfigurations.ts"

type Named = Pick<Configuration, "alias" | "id" | "provider">

/**
 * The name under which a configuration's attempts are stored: the vendor's key for the oldest of a vendor, else the
 * alias or the id. `all`: the oldest first.
 */
export const keyOf = (all: ReadonlyArray<Named>, { alias, id, provider }: Named): string =>
  all.find((other) => other.provider === provider)?.id === id ? provider : alias ?? id

/** Attempts under one name that must go by another, since a message's place in its plan is folded from their names. */
export interface Renaming {
  readonly from: string
  readonly to: string
  /**
   * The configuration is gone. Failures that were its own fault are then not held against the configuration that has
   * its name next.
   */
  readonly isGone: boolean
}

/**
 * The renamings that a change of an environment's configurations needs; both lists with the oldest first. One that is
 * gone is called by its id.
 */
export const renamings = (before: ReadonlyArray<Named>, after: ReadonlyArray<Named>): ReadonlyArray<Renaming> =>
  before.flatMap((was) => {
    const is = after.find(({ id }) => id === was.id)
    const [from, to] = [keyOf(before, was), is === undefined ? was.id : keyOf(after, is)]
    return from === to ? [] : [{ from, to, isGone: is === undefined }]
  })

/** Failures that are the provider's own fault: another one may do better. */
export const ownFaults: ReadonlyArray<DeliveryError["_tag"]> = [
  "Misconfigured",
  "RateLimited",
  "Unavailable",
  "Unknown"
]

const isOwnFault = ({ kind, state }: Pick<Attempt, "kind" | "state">): boolean =>
  state !== "intent" && state !== "accepted" && ownFaults.some((fault) => fault === kind)

/**
 * An attempt under its new name. An attempt of a configuration that is gone keeps its name if it was accepted, or
 * refused for its recipient or content: that counts for whichever has the name next.
 */
export const renamed = <A extends Pick<Attempt, "kind" | "provider" | "state">>(
  all: ReadonlyArray<Renaming>,
  attempt: A
): A => {
  const renaming = all.find(({ from }) => from === attempt.provider)
  return renaming === undefined || (renaming.isGone && !isOwnFault(attempt))
    ? attempt
    : { ...attempt, provider: renaming.to }
}
