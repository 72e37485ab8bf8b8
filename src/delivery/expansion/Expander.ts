import type { Jobs } from "#src/delivery/bulk/Jobs.ts"
import type { OpenExpansion } from "#src/delivery/Expansion.ts"
import type { Expansions } from "#src/delivery/expansion/Expansions.ts"
import type { make as makeOwned, Owner } from "#src/delivery/shards/Owned.ts"
import { aloneFrom } from "#src/delivery/shards/Quarantine.ts"
import { retried } from "#src/delivery/shards/Retried.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { Together } from "#src/delivery/shards/Together.ts"
import * as Turn from "#src/delivery/expansion/Turn.ts"
import type { Members } from "#src/people/Members.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Clock, Duration, Effect, Latch, Metric, Schedule, type Scope } from "effect"

/** Expansions that are looked at together, and the pages of a turn. */
const looked = 8
const turnPages = 8

/** Bulk messages that may be ready and unsent before expansions wait: enough to keep the owners busy, few enough that turns count. */
const mostReady = 10_000

/** Pages made on the word of one look at that backlog. */
const trustedPages = 4

/** A waiting expansion asks this often, and after so many times makes a page all the same: somebody's backlog must not stop everybody. */
const roomInterval = "200 millis"
const roomQuestions = 25

/** With nothing open and nothing heard, the rows are looked at all the same (reliability.md A5). */
const sweepInterval = 60_000

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(2))])

/**
 * Turns the expansions of the owned shards into messages, one page at a time for the whole node, so that neither memory nor the journal
 * feels how many there are. `onMessages` is told of each page: its messages are due rows like any other. The answer is to be called when
 * there may be expansions that this node has not seen.
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly expansions: Expansions["Service"]
  readonly members: Members["Service"]
  readonly jobs: Jobs["Service"]
  readonly owned: ReturnType<typeof makeOwned>
  readonly together: Together
  readonly shards: number
  readonly onMessages: () => void
}): Effect.fn.Return<{ readonly behind: () => void }, never, Scope.Scope> {
  const { expansions, onMessages, owned, together } = options
  const { begin, page } = Turn.make(options)
  const signal = Latch.makeUnsafe()
  let nextDue = Infinity
  let trusted = 0

  /** Answers whether there was room at once. */
  const room = Effect.fnUntraced(function*(owner: Owner) {
    if (trusted-- > 0) return true
    for (let asked = 0; asked < roomQuestions && !owner.draining; asked++) {
      if (!(yield* expansions.isBacklogged(mostReady))) {
        trusted = trustedPages
        return asked === 0
      }
      yield* Effect.sleep(roomInterval)
    }
    return false
  })

  const one = Effect.fnUntraced(function*(owner: Owner, row: OpenExpansion) {
    if (row.epoch === owner.epoch) return yield* page(owner, row)
    const begun = yield* begin(owner, row)
    return typeof begun === "string" ? begun : yield* page(owner, begun)
  })

  const step = (owner: Owner, row: OpenExpansion): Effect.Effect<Turn.After, StoreUnavailable> => {
    const isAlone = row.epoch !== owner.epoch && row.tries + 1 >= aloneFrom
    return isAlone ? together.alone(one(owner, row)) : together.among(one(owner, row))
  }

  const turn = Effect.fnUntraced(function*(first: OpenExpansion) {
    const owner = owned.enter(first.shard, owned.find(first.shard))
    if (owner === undefined) return
    const pages = Effect.gen(function*() {
      let row = first
      for (let made = 0; made < turnPages && !owner.draining; made++) {
        const isRoomy = yield* room(owner)
        const after = yield* step(owner, row)
        onMessages()
        if (typeof after === "string") return after
        // Who has to wait for each page takes turns by the page: all the others wait as well, and one of them may be a short one.
        if (!isRoomy) break
        row = after
      }
      return "over"
    })
    const ended = yield* pages.pipe(Effect.ensuring(Effect.sync(() => owned.leave(owner))))
    if (ended === "fenced") yield* owned.lost(owner)
  })

  /** One that crashes takes nobody else's turn, and its own next one comes a little later. */
  const guardedTurn = (row: OpenExpansion) =>
    Effect.catchDefect(turn(row), (defect) =>
      Effect.andThen(
        Effect.logError("a request to many could not go on", { requestId: row.id }, defect),
        Effect.sleep("1 second")
      ))

  /** Gives each of the oldest expansions a turn; answers whether there were any. */
  const look = Effect.gen(function*() {
    const shards = owned.window().map(({ shard }) => shard)
    nextDue = Infinity
    if (shards.length === 0) return false
    const { next, rows } = yield* expansions.open(shards, yield* Clock.currentTimeMillis, looked)
    nextDue = next ?? Infinity
    yield* Metric.update(Metrics.expansionsOpen, rows.length)
    for (const row of rows) yield* guardedTurn(row)
    return rows.length > 0
  })

  const loop: Effect.Effect<void, StoreUnavailable> = Effect.gen(function*() {
    if (!Latch.isOpen(signal)) {
      const now = yield* Clock.currentTimeMillis
      const wait = Math.min(sweepInterval, Math.max(0, nextDue - now))
      yield* Effect.raceFirst(signal.await, Effect.sleep(wait))
    }
    Latch.closeUnsafe(signal)
    if (yield* look) Latch.openUnsafe(signal)
  })

  const behind = () => {
    Latch.openUnsafe(signal)
  }

  const guarded = loop.pipe(
    Effect.tapError((error) => Effect.logWarning("cannot go on with requests to many", error)),
    Effect.tapCause(() => Effect.sync(behind))
  )
  yield* retried(guarded, backoff).pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(Effect.logError("the expander crashed", cause), Effect.sleep("1 second"))
    ),
    Effect.forever,
    Effect.forkScoped
  )
  return { behind }
})
