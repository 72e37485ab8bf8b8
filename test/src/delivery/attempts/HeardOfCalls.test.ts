import { type DeliveryError, RateLimited, RecipientRejected, Unavailable } from "#schemas/DeliveryError.ts"
import * as Breakers from "#src/delivery/attempts/Breakers.ts"
import { RateGates } from "#src/delivery/attempts/RateGates.ts"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, Layer } from "effect"

const detail = "down"
const times = 5
const since = 7n

const both = (one: Cause.Cause<DeliveryError>, other: Cause.Cause<DeliveryError>) =>
  Exit.failCause(Cause.combine(one, other))

const limited = (named?: number) => new RateLimited({ detail, retryAfter: named })
const unavailable = (named?: number) => new Unavailable({ detail, retryAfter: named })

/**
 * What calls end with that end alike, what the provider's rate gate hears of each, and for how long the provider is left
 * alone after five, in ms: where the gate takes that for news, and where another has told it the same.
 */
const cases: ReadonlyArray<readonly [string, Exit.Exit<void, DeliveryError>, string, news: number, old: number]> = [
  ["an acceptance", Exit.void, "taken", 0, 0],
  ["a refused recipient", Exit.fail(new RecipientRejected({ detail })), "taken", 0, 0],
  ["a recipient's own limit", Exit.fail(new RateLimited({ detail, ofRecipient: true })), "taken", 0, 0],
  ["an interruption", Exit.interrupt(), "", 0, 0],
  ["a limit", Exit.fail(limited()), "refused for 0", 1_000, 0],
  [
    "a limit said not to be the recipient's",
    Exit.fail(new RateLimited({ detail, ofRecipient: false })),
    "refused for 0",
    1_000,
    0
  ],
  ["a limit with a short wait", Exit.fail(limited(5_000)), "refused for 5000", 1_000, 0],
  ["a limit with a long wait", Exit.fail(limited(5_001)), "refused for 5001", 5_001, 5_001],
  ["a failure", Exit.fail(unavailable()), "", 30_000, 30_000],
  ["a failure with a short wait", Exit.fail(unavailable(1)), "refused for 1", 30_000, 30_000],
  ["a failure with a long wait", Exit.fail(unavailable(40_000)), "refused for 40000", 40_000, 40_000],
  ["a bug", Exit.die("bug"), "", 30_000, 30_000],
  ["a bug beside a limit", both(Cause.fail(limited(2)), Cause.die("bug")), "refused for 2", 30_000, 30_000],
  [
    "a bug beside a refused recipient",
    both(Cause.fail(new RecipientRejected({ detail })), Cause.die("bug")),
    "",
    30_000,
    30_000
  ],
  ["two limits", both(Cause.fail(limited(9_000)), Cause.fail(limited(6_000))), "refused for 9000", 9_000, 9_000]
]

/** What is heard of a call, and for how long the provider is left alone, if so many end like this. */
const heard = Effect.fnUntraced(function*(exit: Exit.Exit<void, DeliveryError>, isNews: boolean) {
  const told: Array<string> = []
  const tell = (key: string, at: bigint, what: string) => {
    assert.deepStrictEqual([key, at], ["key", since])
    told.push(what)
  }
  const gates = Layer.mock(RateGates, {
    refused: (key, at, named) => {
      tell(key, at, `refused for ${named}`)
      return isNews
    },
    taken: (key, at) => tell(key, at, "taken")
  })
  const wait = yield* Effect.gen(function*() {
    const { admit, openUntil } = yield* Breakers.Breakers
    for (let call = 0; call < times && openUntil("key") === undefined; call++) {
      yield* Effect.exit(admit("key", (watch) => watch(exit, since)))
    }
    const now = yield* Clock.currentTimeMillis
    return (openUntil("key") ?? now) - now
  }).pipe(Effect.provide(Layer.provide(Breakers.layer, gates)))
  assert.isAtMost(new Set(told).size, 1)
  return [told[0] ?? "", wait] as const
})

describe("What a provider's rate gate hears of a call, and what its circuit makes of that", () => {
  for (const [what, exit, told, news, old] of cases) {
    it.effect(what, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* heard(exit, true), [told, news])
        assert.deepStrictEqual(yield* heard(exit, false), [told, old])
      }))
  }
})
