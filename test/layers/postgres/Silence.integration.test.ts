import { Scope } from "#schemas/Scope.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal, type Window } from "#src/delivery/Journal.ts"
import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Members } from "#src/people/Members.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import * as TcpProxy from "#test/support/TcpProxy.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

const window: Window = {
  shards: [{ shard: 1, takenAtSeq: 0 }],
  lane: "transactional",
  now: 1,
  held: [],
  fullMailboxes: [],
  fullTurns: [],
  limit: 10,
  bytes: 1_000
}

const list = { _tag: "List", id: "none" } as const
const first = { after: undefined, limit: 10, memberOf: [] }

/** What may honestly take longer than the rest. */
const long = "a step of the audiences"

/** What the loops of an owner ask again and again, and what every message asks: while it hangs, nothing goes on. */
const asked = {
  "what is due": Effect.map(Journal, (journal) => journal.due(window)),
  "the open expansions": Effect.map(Expansions, ({ open }) => open([1], 1, 10)),
  "the members of a group": Effect.map(Members, ({ page }) => page(Scope.make(1), list, first)),
  "whether a group exists": Effect.map(Members, ({ exists }) => exists(Scope.make(1), list)),
  "the users of a bulk job": Effect.map(Jobs, ({ sendable }) => sendable(Scope.make(1), "job_none", 0, 10)),
  "the backlog": Effect.map(Expansions, ({ isBacklogged }) => isBacklogged(1, ["1:"])),
  [long]: Effect.map(AudienceSteps, ({ advance }) => advance),
  "the providers of an environment": Effect.map(ProviderConfigurations, ({ installed }) => installed(Scope.make(1)))
} satisfies Record<string, Effect.Effect<Effect.Effect<unknown, unknown>, never, unknown>>

/** A database's URL by way of a proxy. */
const proxied = Effect.gen(function*() {
  const url = new URL(Redacted.value(yield* FreshDatabase.url))
  const proxy = yield* TcpProxy.start({ host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  return { proxy, url: Redacted.make(url.toString()) }
})

describe("a database whose host vanishes without a word", () => {
  for (const [what, make] of Object.entries(asked)) {
    const patience = what === long ? "2 minutes" : "20 seconds"
    it.effect(`A5: who asks for ${what} is told within ${patience} that the store is away`, () =>
      Effect.gen(function*() {
        const { proxy, url } = yield* proxied
        yield* Effect.gen(function*() {
          const ask: Effect.Effect<unknown, unknown> = yield* make
          yield* ask
          yield* TestClock.adjust("2 seconds")
          proxy.freeze()
          const asking = yield* Effect.forkChild(Effect.flip(ask), { startImmediately: true })
          yield* TestClock.adjust(patience)
          const told = asking.pollUnsafe()
          proxy.heal()
          assert.isDefined(told)
          assert.propertyVal(yield* Fiber.join(asking), "_tag", "StoreUnavailable")
          yield* ask
        }).pipe(Effect.provide(Stores.layer.pipe(Layer.provide(FreshDatabase.node(url)))))
      }).pipe(Effect.scoped))
  }
})
