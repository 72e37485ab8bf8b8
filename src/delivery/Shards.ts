import type { MessageId } from "#schemas/MessageId.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as Expander from "#src/delivery/expansion/Expander.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import * as Mailboxes from "#src/delivery/Mailboxes.ts"
import * as Weight from "#src/delivery/journal/Weight.ts"
import { Lane, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import * as Now from "#src/fibers/Now.ts"
import * as DeadAddresses from "#src/delivery/pipeline/DeadAddresses.ts"
import { Pipeline } from "#src/delivery/Pipeline.ts"
import * as Reader from "#src/delivery/shards/Reader.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import * as Together from "#src/delivery/shards/Together.ts"
import * as Tries from "#src/delivery/shards/Tries.ts"
import { Members } from "#src/people/Members.ts"
import { Context, Effect, Layer, Schema, type Scope } from "effect"

/**
 * Messages in the hands of one node at once, by lane; a large one counts for several (`Weight.ofMessage`). That of bulk
 * is its budget of fibers, provider connections and steps in the journal's batches, for the whole node: however much
 * bulk waits, a transactional message finds room, and at most three batches are before it (design.md §3, Lanes). One
 * tenant alone gets three quarters of it. Measured: with half as much again, more messages outlive the garbage
 * collector's nursery, and a fan-out is a twelfth slower. With a quarter less, it is as fast where providers answer at
 * once, but a slow provider is called by fewer messages at a time.
 */
const capacities: Record<Lane, number> = { transactional: 4_096, bulk: 1_360 }

/** Messages of one recipient and lane in hand at once; what is above stays a due row. */
const mailboxCapacity = 32

/** What a node takes of that which is accepted. */
export const Taking = Schema.Struct({
  /** The shards in which steps begin here. */
  shards: Schema.Array(Schema.Int),
  /** Whether this node is the only one (`Shards.alone`), so that it may take what is accepted before it is read. */
  alone: Schema.Boolean,
  /** The lanes in which more is due than it has room for: what is accepted in them is read from the store. */
  backlogged: Schema.Array(Lane)
})
export type Taking = typeof Taking.Type

/**
 * The engine of one node: it owns shards, reads what is due in them, and hands it to the recipients' mailboxes. Placing
 * the shards is the cluster's work (`layers/cluster`); each placed shard runs `own` on exactly one node.
 */
export class Shards extends Context.Service<Shards, {
  /**
   * Owns a shard until interrupted; then drains it: what has not started is left, what runs ends its step (at most 15
   * s). Never fails.
   */
  readonly own: (shard: number, node: string) => Effect.Effect<never>
  /**
   * Begins to hand over all shards, for good: from now on nothing is started here, while what runs ends its step. The
   * first thing that a stop does (design.md §6).
   */
  readonly stop: Effect.Effect<void>
  /** Something may be due in an owned shard: a notification, or the safety sweep. */
  readonly wake: Effect.Effect<void>
  /**
   * Tells whether this node is the only one. If there are others, what is accepted here is read from the store like
   * everything else: another node may have accepted an older row of which this one has not heard yet (P3).
   */
  readonly alone: (isAlone: boolean) => Effect.Effect<void>
  /** Tells what this node takes, now and whenever that changes, until the scope closes. */
  readonly watch: (tell: (taking: Taking) => void) => Effect.Effect<void, never, Scope.Scope>
  /** The shards owned now. */
  readonly owned: Effect.Effect<ReadonlyArray<number>>
  /** Messages in hand now. */
  readonly held: Effect.Effect<number>
  /** Whether the last look at what is due succeeded. */
  readonly reading: Effect.Effect<boolean>
}>()("tidings/Shards") {}

export const layer = Layer.effect(
  Shards,
  Effect.gen(function*() {
    const journal = yield* Journal
    const pipeline = yield* Pipeline
    const handover = yield* Handover
    const firsts = yield* FirstSteps
    const held: Record<Lane, Map<MessageId, Owned.Owner | undefined>> = { transactional: new Map(), bulk: new Map() }
    const shares = {
      transactional: LaneShares.make(capacities.transactional),
      bulk: LaneShares.make(capacities.bulk)
    }
    const hold = (message: OpenMessage) => {
      // With the owner under which it was read: under a later one, its row may have changed.
      held[message.lane].set(message.id, owned.find(message.shard))
      shares[message.lane].add(LaneShares.turnOf(message), Weight.ofMessage(message))
    }
    /** Answers whether the message's row may be there unread (`FirstSteps.over`). */
    const release = (message: OpenMessage): boolean => {
      const isUnread = firsts.over(message.id)
      if (held[message.lane].delete(message.id)) {
        shares[message.lane].remove(LaneShares.turnOf(message), Weight.ofMessage(message))
      }
      return isUnread
    }
    let isAlone = true
    let isStopping = false
    const isBacklogged: Record<Lane, boolean> = { transactional: false, bulk: false }
    const watchers = new Set<(taking: Taking) => void>()
    const taking = (): Taking => ({
      shards: owned.window().map(({ shard }) => shard),
      alone: isAlone && !isStopping,
      backlogged: Lane.literals.filter((lane) => isBacklogged[lane])
    })
    const changed = () => {
      for (const tell of watchers) tell(taking())
    }
    const owned = Owned.make(journal, changed)
    const together = yield* Together.make
    const guard = Tries.make({ journal, pipeline, together })

    const run = Effect.fnUntraced(function*(message: OpenMessage) {
      const { lane } = message
      // It was read as due, and the clock has been set back since.
      const isEarly = message.dueAt > 0 && message.dueAt > (yield* Now.millis)
      const owner = isEarly ? undefined : owned.enter(held[lane].get(message.id))
      let isLeft = owner === undefined
      let dueAt = isEarly ? message.dueAt : undefined
      if (owner !== undefined) {
        // If not even the step could be written, the row stays open and the sweep finds it. Every cause is caught: an
        // interruption inside the step would else end its recipient's fiber, and lose all that its mailbox holds.
        const ending = yield* guard(message, owner).pipe(
          Effect.catchCause((cause) => Effect.logError("a step could not be written", { messageId: message.id }, cause))
        )
        owned.leave(owner)
        if (ending?._tag === "Fenced") yield* owned.lost(owner)
        isLeft = ending?._tag === "Fenced" || owned.find(message.shard) !== owner
        if (ending?._tag === "Waiting") dueAt = ending.dueAt
      }
      // Before the reader is told anything: it may look at once, and leaves out what is held.
      const isUnread = release(message)
      if (dueAt !== undefined) readers[lane].expect(dueAt)
      // This node may own the shard again by now, and has not read the row while it was held.
      if (isUnread || (isLeft && owned.has(message.shard))) readers[lane].gaveUp(message.recipientKey)
      readers[lane].freed()
    })

    const mailboxes = yield* Mailboxes.make({
      capacity: mailboxCapacity,
      run,
      ownerOf: ({ shard }) => owned.find(shard),
      onRoom: (lane) => readers[lane].room()
    })
    const read = (lane: Lane) =>
      Reader.make({
        journal,
        owned,
        direct: () => isAlone,
        lane,
        capacity: capacities[lane],
        free: shares[lane].free,
        turns: shares[lane],
        held: () => [...held[lane].keys()],
        holds: (id) => held[lane].has(id),
        isFull: (recipientKey) => mailboxes.isFull(recipientKey, lane),
        isIdle: mailboxes.isIdle,
        offer: (message) => {
          if (held[lane].has(message.id)) return true
          // Before the offer: a message that needs no wait may be done when `offer` returns.
          hold(message)
          if (mailboxes.offer(message)) return true
          release(message)
          return false
        },
        backlogged: (is) => {
          if (isBacklogged[lane] === is) return
          isBacklogged[lane] = is
          changed()
        },
        abandon: (row) => {
          const owner = owned.enter(owned.find(row.shard))
          return owner === undefined ?
            Effect.void :
            pipeline.abandon(row, owner.epoch, "The stored message does not decode").pipe(
              Effect.ensuring(Effect.sync(() => owned.leave(owner)))
            )
        }
      })

    const readers: Record<Lane, Reader.Reader> = {
      transactional: yield* read("transactional"),
      bulk: yield* read("bulk")
    }

    const expander = yield* Expander.make({
      expansions: yield* Expansions,
      members: yield* Members,
      jobs: yield* Jobs,
      owned,
      together,
      shards: yield* ShardCount,
      firsts,
      reader: readers.bulk
    })
    const behind = () => {
      readers.transactional.behind()
      readers.bulk.behind()
      expander.behind()
    }

    yield* handover.connect({
      owns: owned.has,
      room: Effect.void,
      offer: (messages) =>
        Effect.sync(() => {
          readers.transactional.accept(messages)
          readers.bulk.accept(messages)
        }),
      stir: Effect.sync(expander.behind),
      behind: (lanes) =>
        Effect.sync(() => {
          for (const lane of lanes) readers[lane].behind()
        })
    })

    return Shards.of({
      own: (shard, node) => owned.own(shard, node, Effect.sync(behind)),
      stop: Effect.suspend(() => {
        isStopping = true
        return owned.stop
      }),
      wake: Effect.sync(behind),
      alone: (now) =>
        Effect.sync(() => {
          if (isAlone === now) return
          isAlone = now
          changed()
        }),
      watch: (tell) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            watchers.add(tell)
            tell(taking())
          }),
          () => Effect.sync(() => watchers.delete(tell))
        ),
      owned: Effect.sync(owned.shards),
      held: Effect.sync(() => held.transactional.size + held.bulk.size),
      reading: Effect.sync(() => readers.transactional.isReading() && readers.bulk.isReading())
    })
  })
).pipe(Layer.provide(DeadAddresses.remembering))
