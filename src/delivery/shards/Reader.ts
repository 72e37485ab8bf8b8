import type { MessageId } from "#schemas/MessageId.ts"
import type { Due, Journal } from "#src/delivery/Journal.ts"
import { alternating } from "#src/delivery/shards/Alternating.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import { type DueRow, fromRow, type Lane, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { make as makeOwned } from "#src/delivery/shards/Owned.ts"
import * as DueLoop from "#src/delivery/shards/DueLoop.ts"
import * as Weight from "#src/delivery/journal/Weight.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Outage from "#src/store/Outage.ts"
import { Clock, Effect, Exit, Metric, type Scope } from "effect"

/** Rows of one look at the store, at most. */
const largestWindow = 1_000

/** Bytes that its rows may bring: they are all in memory at once. */
const mostBytes = 16 * 1024 * 1024

/** In ms, how long it may take until one hears of a committed message. What is found unheard of after that was stuck. */
const longestNews = 2_000

/** How messages come into this node's hands. */
export interface Reader {
  /** Messages just committed here: taken directly while nothing older is unread, else left as rows. */
  readonly accept: (messages: ReadonlyArray<OpenMessage>) => void
  /**
   * Takes a message that is about to be stored, if it begins at once: nothing older is unread, and its recipient has no
   * other in hand (P3). Else it answers false, and the message is read as a row like any other.
   */
  readonly begin: (message: OpenMessage) => boolean
  /**
   * How many messages of each of these turns may `begin` now; 0: none, but perhaps in a moment. `undefined`: none, nor
   * in a moment, since other nodes accept for these shards as well, or another turn waits for room.
   */
  readonly openings: (turns: ReadonlySet<string>) => number | undefined
  /** A row will be due at this time (epoch ms); 0: one is unread that is ready. */
  readonly expect: (dueAt: number) => void
  /** There may be rows that this node has not seen. */
  readonly behind: () => void
  /**
   * A message of this recipient was given up because its owner lost the shard. It is older than what a look under way
   * may find of the recipient, which must not pass it.
   */
  readonly gaveUp: (recipientKey: string) => void
  /** A recipient's mailbox has room again for what was left. */
  readonly room: () => void
  /** A message has left the hands of this node. */
  readonly freed: () => void
  /** Whether the last look succeeded. */
  readonly isReading: () => boolean
}

/**
 * Reads windows of a lane's due rows that are not in hand, the oldest of each turn first, and sleeps until the next is
 * due. A row that finds its recipient's mailbox full stays a row; its recipient is then served from the store alone
 * until nothing of it is unread, so order holds (P3).
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly journal: Journal["Service"]
  readonly owned: ReturnType<typeof makeOwned>
  readonly lane: Lane
  /** Weight of the lane's messages that may be in hand at once (`Weight.ofMessage`). */
  readonly capacity: number
  /** How much of it is free now. */
  readonly free: () => number
  /** Whether what is committed here may be taken as it comes: no other node accepts for these shards. */
  readonly direct: () => boolean
  readonly held: () => ReadonlyArray<MessageId>
  readonly holds: (id: MessageId) => boolean
  readonly isFull: (recipientKey: string) => boolean
  readonly isIdle: (recipientKey: string) => boolean
  /** Which turns are full, so that nothing is read for them, and whether a turn may hold another message. */
  readonly turns: Pick<ReturnType<typeof LaneShares.make>, "full" | "isFull" | "mayHold" | "openings">
  readonly offer: (message: OpenMessage) => boolean
  readonly abandon: (row: DueRow) => Effect.Effect<void, never>
  /** Told whether more is due than there is room for: what is accepted now is left as rows. */
  readonly backlogged: (is: boolean) => void
}): Effect.fn.Return<Reader, never, Scope.Scope> {
  const { journal, lane, owned } = options
  const windowSize = Math.min(largestWindow, options.capacity)
  const loop = DueLoop.make()
  /** Recipients with a row left in the store because their mailbox did not take it: each look notes them anew. */
  const overflowed = new Set<string>()
  /** Whether every ready row of the owned shards is in hand, but those of `overflowed`. */
  let caughtUp = false
  /** Turns for which something may have been left unread. */
  const waiting = new Set<string>()
  /** Where the last look ended: the next one begins there. */
  let last: Pick<Due, "heldUp" | "timedUpTo" | "upTo"> | undefined
  /** Counts what was left to the store. A look that began before the count changed must not claim to have seen all. */
  let left = 0
  /** Messages committed here during the look under way (`undefined`: there is none), after what it finds. */
  let arrivals: Array<OpenMessage> | undefined
  let arrived = 0
  /** Recipients of whom a message was given up during the look under way, which did not read it. */
  const givenUp = new Set<string>()
  let failing = false
  /** Whether nothing is read for want of room. */
  let isHalted = false

  const behind = () => {
    left++
    caughtUp = false
    loop.wake()
  }
  const expect = (dueAt: number) => dueAt === 0 ? behind() : loop.expect(dueAt)

  const take = (message: OpenMessage): boolean => {
    if (options.offer(message)) return true
    overflowed.add(message.recipientKey)
    return false
  }

  const takeDirectly = (message: OpenMessage) => {
    if (!options.turns.mayHold(LaneShares.turnOf(message))) behind()
    else if (!overflowed.has(message.recipientKey)) take(message)
  }

  const accept = (messages: ReadonlyArray<OpenMessage>) => {
    for (const message of messages) {
      if (message.lane !== lane || !owned.has(message.shard)) continue
      if (message.dueAt > 0) expect(message.dueAt)
      else if (!options.direct()) behind()
      else if (arrivals !== undefined && arrived < windowSize) {
        arrivals.push(message)
        arrived += Weight.ofMessage(message)
      } else if (arrivals === undefined && caughtUp) takeDirectly(message)
      else behind()
    }
  }

  const isCurrent = () => caughtUp && arrivals === undefined
  const begin = (message: OpenMessage): boolean =>
    isCurrent() && options.direct() && message.dueAt === 0 && owned.has(message.shard) &&
    options.isIdle(message.recipientKey) && !overflowed.has(message.recipientKey) && !options.holds(message.id) &&
    options.turns.mayHold(LaneShares.turnOf(message)) && options.offer(message)

  /** Looks once; answers whether everything due has been seen. */
  const look = Effect.gen(function*() {
    const shards = owned.window()
    if (shards.length === 0) {
      // Nothing is due here until a shard is taken, which wakes this loop. A due time that has passed would keep it
      // spinning.
      loop.seen(Infinity)
      return true
    }
    const began = left
    const isSame = owned.hands()
    const full = [...overflowed].filter(options.isFull)
    const refused = new Set(full)
    waiting.clear()
    for (const turn of options.turns.full()) waiting.add(turn)
    const known = new Set(overflowed)
    for (const recipientKey of known) if (!refused.has(recipientKey)) overflowed.delete(recipientKey)
    const seen = new Set<MessageId>()
    const surprises = new Set<MessageId>()
    const nothingLeft = caughtUp
    arrivals = []
    arrived = 0
    givenUp.clear()
    const now = yield* Clock.currentTimeMillis
    const due = yield* journal.due({
      shards,
      lane,
      now,
      held: options.held(),
      fullMailboxes: full,
      fullTurns: [...waiting],
      after: last?.upTo,
      timedAfter: last?.timedUpTo,
      heldUp: last?.heldUp,
      // Ready and timed rows each fill half of the room.
      limit: Math.min(windowSize, Math.ceil(options.free() / 2)),
      bytes: mostBytes
    })
    for (const row of alternating(due.rows)) {
      seen.add(row.id)
      if (!isSame(row.shard) || options.holds(row.id)) continue
      if (refused.has(row.recipientKey) || givenUp.has(row.recipientKey)) continue
      const decoded = fromRow(row)
      if (Exit.isFailure(decoded)) {
        yield* options.abandon(row)
        continue
      }
      const message = decoded.value
      const turn = LaneShares.turnOf(row)
      if (!options.turns.mayHold(turn)) {
        waiting.add(turn)
        refused.add(message.recipientKey)
        continue
      }
      const isOld = row.dueAt === 0 && row.enqueuedAt < now - longestNews
      if (nothingLeft && isOld && !known.has(row.recipientKey)) surprises.add(row.id)
      if (!take(message)) refused.add(message.recipientKey)
    }
    for (const { id } of arrivals) surprises.delete(id)
    if (surprises.size > 0) yield* Metric.update(Metrics.stuck, surprises.size)
    // From here on nothing may wait: what is committed now comes after those that arrived.
    const later = arrivals
    arrivals = undefined
    last = { heldUp: due.heldUp, timedUpTo: due.timedUpTo, upTo: due.upTo }
    options.backlogged(!due.complete || waiting.size > 0)
    const sawAll = due.complete && left === began
    caughtUp = sawAll && waiting.size === 0
    if (!sawAll) return false
    loop.seen(due.next ?? Infinity)
    if (!caughtUp) return later.every(({ id }) => seen.has(id))
    // Once one finds no room the others wait for a look: one of its recipient in another turn would pass it.
    for (const message of later) if (caughtUp && !seen.has(message.id)) takeDirectly(message)
    return caughtUp
  })

  const outage = Outage.make({
    lost: (error) => Effect.logWarning("cannot read what is due", error),
    found: Effect.logInfo("what is due is read again")
  })

  const isCrowded = () => options.free() < windowSize / 16

  const round = Effect.gen(function*() {
    // Without room nothing can be read, whatever is due: the loop sleeps until it is woken, as `freed` does.
    isHalted = isCrowded()
    yield* isHalted ? loop.woken : loop.due
    // One answer of the store ends many messages. This lets all of them free their room: with the room of the first
    // alone, this look would find a handful, and the next one the rest.
    yield* Effect.yieldNow
    loop.begin()
    isHalted = isCrowded()
    if (isHalted) return options.backlogged(true)
    const seenAll: boolean = yield* look
    if (owned.window().length > 0) yield* outage.found()
    failing = false
    if (!seenAll) loop.wake()
  })

  yield* DueLoop.run(round, {
    crash: "the reader crashed",
    lost: outage.lost,
    missed: () => {
      failing = true
      behind()
    }
  })

  return {
    accept,
    begin,
    openings: (turns) => {
      if (!options.direct() || !waiting.isSubsetOf(turns)) return undefined
      return isCurrent() ? Math.min(...[...turns].map(options.turns.openings)) : 0
    },
    expect,
    behind,
    gaveUp: (recipientKey) => {
      givenUp.add(recipientKey)
      behind()
    },
    room: loop.wake,
    freed: () => {
      if (isHalted && !isCrowded()) loop.wake()
      else for (const turn of waiting) if (!options.turns.isFull(turn)) return loop.wake()
    },
    isReading: () => !failing
  }
})
