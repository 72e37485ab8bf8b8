import type { Call } from "#layers/testing/History.ts"
import type { Facts } from "./Facts.ts"

/** So many calls in a row may fail before a provider is left alone, or one that asks for a longer wait than the second, in ms. */
const [patience, ask] = [4, 5_000]

/** Those who wait for a provider come back to it within this of each other, in ms. */
const apart = 5_000

const failedBy = ({ history }: Facts, scope: number, at: number): ReadonlyArray<Call> =>
  history.calls.filter((call) =>
    call.scope === scope && call.heard !== undefined && call.heard !== "accepted" && (call.heardAt ?? 0) <= at
  )

/** Whether some provider may be left alone at this time: then a message waits for it longer than it would by itself. */
export const mayBe = (facts: Facts, scope: number, at: number): boolean => {
  const failed = failedBy(facts, scope, at)
  return failed.some(({ retryAfter }) => (retryAfter ?? 0) > ask) ||
    [...Map.groupBy(failed, ({ provider }) => provider).values()].some((calls) => calls.length > patience)
}

/** The providers that at this time may be left alone until after `until`. Both are in ms since the world began. */
export const beyond = (facts: Facts, scope: number, at: number, until: number): ReadonlySet<string> =>
  new Set(
    [...Map.groupBy(failedBy(facts, scope, at), ({ provider }) => provider)].flatMap(([provider, calls]) =>
      calls.length > patience ||
        calls.some(({ heardAt, retryAfter }) => (heardAt ?? 0) + (retryAfter ?? 0) + apart > until)
        ? [provider]
        : []
    )
  )
