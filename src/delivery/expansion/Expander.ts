import type { Jobs } from "#src/delivery/bulk/Jobs.ts"
import type { OpenExpansion } from "#src/delivery/Expansion.ts"
import type { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { isDraining, type make as makeOwned, type Owner } from "#src/delivery/shards/Owned.ts"
import type { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import type { Reader } from "#src/delivery/shards/Reader.ts"
import * as Room from "#src/delivery/expansion/Room.ts"
import { turnOf } from "#src/delivery/shards/LaneShares.ts"
import { aloneFrom } from "#src/delivery/shards/Quarantine.ts"
import * as DueLoop from "#src/delivery/shards/DueLoop.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { Together } from "#src/delivery/shards/Together.ts"
import * as Turn from "#src/delivery/expansion/Turn.ts"
import * as Waiting from "#src/delivery/expansion/Waiting.ts"
import type { Members } from "#src/people/Members.ts"
import * as Outage from "#src/store/Outage.ts"
import { Clock, Effect, Fiber, type Scope } from "effect"

/** Expansions of one look, and messages after which the turn of an expansion ends. */
const looked = 8
const turnMessages = 8_000

/**
 * Turns the expansions of the owned shards into messages, one page after the other for the whole node, so that neither
 * memory nor the journal feels how many there are. A page's messages are begun at once where `reader` takes them, else
 * they are due rows like any other. `behind` is to be called when there may be expansions that this node has not seen.
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly expansions: Expansions["Service"]
  readonly members: Members["Service"]
  readonly jobs: Jobs["Service"]
  readonly owned: ReturnType<typeof makeOwned>
  readonly together: Together
  readonly shards: number
  readonly firsts: FirstSteps["Service"]
  readonly reader: Pick<Reader, "begin" | "behind" | "openings">
}): Effect.fn.Return<{ readonly behind: () => void }, never, Scope.Scope> {
  const { expansions, owned, together } = options
  const { begin, page, wait } = Turn.make(options)
  const loop = DueLoop.make()
  /** Expansions of the last look. */
  let found = 0
  const room = Room.make(options)
  const waiting = Waiting.make()

  const one = Effect.fnUntraced(function*(owner: Owner, row: OpenExpansion, openings: number) {
    const begun = row.epoch === owner.epoch ? row : yield* begin(owner, row)
    if (typeof begun === "string") return Turn.ended(Effect.succeed(begun))
    // After a try that failed, the page is stored as rows: its owner may have died of a message that it had begun, and
    // rows are tried one by one.
    const open = begun.tries <= 1 ? openings : 0
    const made = yield* page(owner, begun, open)
    if (open > 0 || (yield* room.isRoomy(made.turns))) {
      waiting.over(row)
      return made
    }
    // The try has neither failed nor made a page. It does not count, or a request that waits for long would be set
    // aside after a few restarts.
    const unbegun = { ...begun, tries: Math.max(0, begun.tries - 1), epoch: 0 }
    return Turn.ended(wait(owner, unbegun, yield* waiting.add(begun, made.turns)))
  })

  const made = (
    owner: Owner,
    row: OpenExpansion,
    open: number
  ): Effect.Effect<Turn.Made, StoreUnavailable, Scope.Scope> => {
    const tries = row.epoch === owner.epoch ? row.tries : row.tries + 1
    if (tries < aloneFrom) return together.among(one(owner, row, open))
    return together.alone(Effect.flatMap(one(owner, row, 0), ({ commit }) => commit)).pipe(
      Effect.map((after) => Turn.ended(Effect.succeed(after)))
    )
  }

  /** Whether other expansions wait for their turns. */
  const areOthers = () => found > 1 || loop.isWoken()

  /** The pages of a turn, written one after the other; while one is written, the next is made. */
  const pages = Effect.fnUntraced(function*(owner: Owner, first: OpenExpansion) {
    const prepare = Effect.fnUntraced(function*(row: OpenExpansion, turns: ReadonlySet<string>) {
      const wanted = waiting.turnsOf(row)
      if (wanted !== undefined && !(yield* room.isRoomy(wanted))) {
        return { inVain: false, page: Turn.ended(wait(owner, row, yield* waiting.add(row, wanted))) }
      }
      // What a page waited for is unread, so none of its own messages could begin.
      const { inVain, open } = wanted === undefined ? yield* room.openings(owner, turns) : { inVain: false, open: 0 }
      return { inVain, page: yield* made(owner, row, open) }
    })
    let ahead = yield* Effect.forkScoped(prepare(first, new Set([turnOf({ scope: first.scope, tenantId: undefined })])))
    let messages = 0
    while (true) {
      const { inVain, page: { commit, next, size, turns } } = yield* Fiber.join(ahead)
      messages += size
      // Others waited as long as this page waited in vain: they come next.
      const goesOn = next !== undefined && !(inVain && areOthers()) && messages < turnMessages && !isDraining(owner)
      if (goesOn) ahead = yield* Effect.forkScoped(prepare(next, turns))
      // Not among the others: they may be messages that wait for a commit, and who waits to be alone waits for them.
      const after = yield* commit
      if (typeof after === "string" || !goesOn) return after
    }
  }, Effect.scoped)

  const turn = Effect.fnUntraced(function*(first: OpenExpansion) {
    const owner = owned.enter(owned.find(first.shard))
    if (owner === undefined) return
    const ended = yield* pages(owner, first).pipe(Effect.ensuring(Effect.sync(() => owned.leave(owner))))
    if (ended === "fenced") yield* owned.lost(owner)
  })

  /** A turn that crashes does not end those of others; the pause keeps it from crashing again at once. */
  const guardedTurn = (row: OpenExpansion) =>
    Effect.catchDefect(turn(row), (defect) =>
      Effect.andThen(
        Effect.logError("a request to many could not go on", { requestId: row.id }, defect),
        Effect.sleep("1 second")
      ))

  const outage = Outage.make({
    lost: (error) => Effect.logWarning("cannot go on with requests to many", error),
    found: Effect.logInfo("requests to many go on again")
  })

  /** Gives each of the oldest expansions a turn; answers whether there were any. */
  const look = Effect.gen(function*() {
    const shards = owned.window().map(({ shard }) => shard)
    const { next, rows } = shards.length === 0
      ? { next: undefined, rows: [] }
      : yield* expansions.open(shards, yield* Clock.currentTimeMillis, looked)
    loop.seen(next ?? Infinity)
    found = rows.length
    for (const row of rows) yield* guardedTurn(row)
    if (shards.length > 0) yield* outage.found()
    return rows.length > 0
  })

  yield* DueLoop.run(
    Effect.gen(function*() {
      yield* loop.due
      loop.begin()
      if (yield* look) loop.wake()
    }),
    { crash: "the expander crashed", lost: outage.lost, missed: loop.wake }
  )
  return { behind: loop.wake }
})
