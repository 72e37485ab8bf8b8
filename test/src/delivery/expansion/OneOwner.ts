import type { MessageId } from "#schemas/MessageId.ts"
import * as Expander from "#src/delivery/expansion/Expander.ts"
import { type Advance, Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { FirstSteps, layer as firstSteps } from "#src/delivery/journal/FirstSteps.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import * as Together from "#src/delivery/shards/Together.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { Members } from "#src/people/Members.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"

/** A list has as many members as its name says. */
export const members: Members["Service"] = {
  exists: () => Effect.succeed(true),
  page: (_, source, { after, limit }) => {
    const [count, from] = [
      source._tag === "List" ? Number(source.id) : 0,
      after === undefined ? 0 : Number(after.userId)
    ]
    return Effect.succeed(
      Array.from({ length: Math.min(limit, count - from) }, (_, n) => ({ group: "", userId: `${from + n + 1}` }))
    )
  }
}

type Store = Expansions["Service"]

/** Lets time go by in small steps, in each of which everybody does what is to be done then. */
export const pass = Effect.fnUntraced(function*(ms: number) {
  for (let passed = 0; passed < ms; passed += 100) {
    yield* TestClock.adjust(100)
    yield* Effect.promise(() => setImmediate())
  }
})

/** An owner of one shard that takes requests to lists; `before` happens before what is asked of the store. */
export const running = Effect.fnUntraced(function*(
  { among = members, before = {}, isBacklogged }: {
    readonly among?: Members["Service"]
    /** Whether turns are; then messages are rows, and none begins before it is stored. */
    readonly isBacklogged?: () => boolean
    readonly before?: {
      readonly [K in "advance" | "open"]?: (
        ...asked: Parameters<Store[K]>
      ) => Effect.Effect<void, StoreUnavailable>
    }
  } = {}
) {
  const place = yield* Fixture.world
  const { shard } = place
  yield* TestClock.setTime(place.at)
  const journal = yield* Journal
  const stored = yield* Expansions
  let [looks, awake, begun] = [0, 0, 0]
  const advances: Array<Advance> = []
  const owned = Owned.make(journal)
  const together = yield* Together.make
  const { behind } = yield* Expander.make({
    expansions: {
      ...stored,
      open: Effect.fnUntraced(function*(...asked) {
        looks++
        yield* before.open?.(...asked) ?? Effect.void
        return yield* stored.open(...asked)
      }),
      isBacklogged: () => Effect.sync(() => isBacklogged?.() ?? false),
      advance: Effect.fnUntraced(function*(step) {
        advances.push(step)
        yield* before.advance?.(step) ?? Effect.void
        return yield* stored.advance(step)
      })
    },
    members: among,
    jobs: yield* Jobs,
    owned: { ...owned, window: () => (awake++, owned.window()) },
    together,
    shards: 4,
    firsts: yield* FirstSteps,
    reader: {
      begin: () => {
        begun++
        return false
      },
      behind: () => undefined,
      openings: () => isBacklogged === undefined ? 1_000 : undefined
    }
  })
  const owning = yield* Effect.forkChild(owned.own(shard, "node", Effect.sync(behind)), { startImmediately: true })
  yield* pass(100)
  const accept = Effect.fnUntraced(function*(count: number) {
    const now = { ...place, at: yield* Clock.currentTimeMillis }
    const { id, instructions, keyState } = Fixture.message(now)
    const recipients = [{ list_id: String(count) }]
    const expansion = { id, scope: place.scope, shard, keyState, recipients, instructions }
    yield* Effect.orDie(journal.accept({ ...Fixture.acceptance(now, []), expansion }))
    return id
  })
  const state = (id: MessageId) => Effect.map(stored.find(place.scope, id), ({ messages, state }) => [state, messages])
  return {
    place,
    journal,
    stored,
    owned,
    together,
    behind,
    owning,
    accept,
    state,
    looks: () => looks,
    awake: () => awake,
    /** How many messages it wanted to begin before they were stored. */
    begun: () => begun,
    advances
  }
})

/** What an owner needs. */
export const stores = Layer.merge(Stores.layer, firstSteps)
