import { Journal, type Due, type Window } from "#src/delivery/Journal.ts"
import { fromRow, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Weight from "#src/delivery/journal/Weight.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import * as Reader from "#src/delivery/shards/Reader.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Schema } from "effect"
import { TestClock } from "effect/testing"

const recipients = ["ada", "bob", "cyd"] as const
const Who = Schema.Literals(recipients)

/**
 * What happens to a node: messages are stored, told of then or with the next ones, or begun before they are stored; the step of a recipient ends;
 * the store answers the look under way as things were when it was asked, or does not. Only where it rests does the reader's own fiber move.
 */
const Happening = Schema.Union([
  Schema.Struct({ stored: Who }),
  Schema.Struct({ told: Who }),
  Schema.Struct({ told: Who }),
  Schema.Struct({ begun: Who }),
  Schema.Struct({ later: Who }),
  Schema.Struct({ elsewhere: Who }),
  Schema.Struct({ rests: Schema.Literal(true) }),
  Schema.Struct({ ends: Who }),
  Schema.Struct({ ends: Who }),
  Schema.Struct({ answers: Schema.Boolean }),
  Schema.Struct({ answers: Schema.Literal(true) })
])

interface Row {
  readonly message: OpenMessage
  isOpen: boolean
}

const mailboxCapacity = 2
const capacity = 12

/** A node's reader between a store, whose answers take their time, and mailboxes that hold little. */
const world = Effect.gen(function*() {
  const place = yield* Fixture.world
  const shares = LaneShares.make(capacity)
  const rows: Array<Row> = []
  const untold: Array<OpenMessage> = []
  const mailboxes = new Map(recipients.map((who): [string, Array<Row>] => [who, []]))
  const held = new Set<OpenMessage["id"]>()
  const offered: Array<OpenMessage> = []
  const looks: Array<(answers: boolean) => Effect.Effect<void>> = []
  const boxOf = (key: string) => mailboxes.get(key) ?? []

  const found = ({ fullMailboxes, fullTurns, held: inHand, limit, now }: Window): Due => {
    const open = rows.filter(({ isOpen, message }) =>
      isOpen && !inHand.includes(message.id) && !fullMailboxes.includes(message.recipientKey) &&
      !fullTurns.includes(LaneShares.turnOf(message))
    ).map(({ message }) => message)
    const due = open.filter(({ dueAt }) => dueAt <= now)
    const next = Math.min(...open.flatMap(({ dueAt }) => dueAt > now ? [dueAt] : []))
    return {
      rows: due.slice(0, limit).map((message) => ({
        ...message,
        recipient: JSON.stringify(message.recipient),
        instructions: JSON.stringify(message.instructions)
      })),
      complete: due.length <= limit,
      upTo: undefined,
      timedUpTo: undefined,
      next: Number.isFinite(next) ? next : undefined
    }
  }
  const unused = Effect.die("nothing but what is due is asked for")
  const journal = Journal.of({
    accept: () => unused,
    record: () => unused,
    observe: () => unused,
    take: (shard) => Effect.succeed({ shard, epoch: 1, seq: 0 }),
    due: (window) =>
      Effect.suspend(() => {
        const due = found(window)
        const answer = Deferred.makeUnsafe<Due, StoreUnavailable>()
        looks.push((answers) =>
          Deferred.done(answer, answers ? Exit.succeed(due) : Exit.fail(new StoreUnavailable({ cause: "away" })))
        )
        return Deferred.await(answer)
      })
  })
  const owned = Owned.make(journal)
  yield* Effect.forkScoped(owned.own(place.shard, "node", Effect.void), { startImmediately: true })
  const reader = yield* Reader.make({
    journal,
    owned,
    lane: "transactional",
    capacity,
    free: shares.free,
    direct: () => true,
    held: () => [...held],
    holds: (id) => held.has(id),
    isFull: (key) => boxOf(key).length >= mailboxCapacity,
    isIdle: (key) => boxOf(key).length === 0,
    turns: shares,
    offer: (message) => {
      const row = rows.find(({ message: { id } }) => id === message.id) ?? { message, isOpen: true }
      // What a look has found and its mailbox has done before it was told of is refused by the journal.
      if (held.has(message.id) || !row.isOpen) return true
      const box = boxOf(message.recipientKey)
      if (box.length >= mailboxCapacity) return false
      box.push(row)
      held.add(message.id)
      shares.add(LaneShares.turnOf(message), Weight.ofMessage(message))
      offered.push(message)
      return true
    },
    decode: fromRow,
    abandon: () => Effect.void
  })
  reader.behind()

  const make = (who: string, dueAt: number) => Fixture.message(place, { recipientKey: who, tenantId: who, dueAt })
  const store = (message: OpenMessage) => {
    rows.push(boxOf(message.recipientKey).find((row) => row.message.id === message.id) ?? { message, isOpen: true })
  }
  const tell = (message: OpenMessage) => {
    store(message)
    reader.accept([...untold.splice(0), message])
  }
  const end = (who: string) => {
    const row = boxOf(who).shift()
    if (row === undefined) return
    row.isOpen = false
    held.delete(row.message.id)
    shares.remove(LaneShares.turnOf(row.message), Weight.ofMessage(row.message))
    reader.room()
    reader.freed()
  }
  const happen = Effect.fnUntraced(function*(happening: typeof Happening.Type) {
    const now = yield* Clock.currentTimeMillis
    if ("stored" in happening) {
      const message = make(happening.stored, 0)
      store(message)
      untold.push(message)
    } else if ("told" in happening) tell(make(happening.told, 0))
    else if ("later" in happening) tell(make(happening.later, now + 3_000))
    else if ("elsewhere" in happening) {
      const message = make(happening.elsewhere, 0)
      reader.accept([{ ...message, lane: "bulk" }, { ...message, shard: message.shard + 1 }])
      assert.isFalse(reader.begin({ ...message, shard: message.shard + 1 }))
      assert.isFalse(reader.begin({ ...message, dueAt: now + 3_000 }))
    } else if ("begun" in happening) {
      const message = make(happening.begun, 0)
      const isBegun = untold.length === 0 && reader.begin(message)
      store(message)
      if (!isBegun) reader.behind()
    } else if ("ends" in happening) end(happening.ends)
    else {
      if ("answers" in happening) yield* looks.shift()?.(happening.answers) ?? Effect.void
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
    }
  })
  return { happen, rows, offered, untold, tell: () => reader.accept(untold.splice(0)) }
})

describe("Reader", () => {
  it.effect.prop(
    "P1, P3: whatever is stored while it looks, each message comes into hand once, those of a recipient in order, and none waits for the sweep",
    { story: Schema.Array(Happening).check(Schema.isMinLength(20), Schema.isMaxLength(80)) },
    ({ story }) =>
      Effect.gen(function*() {
        const { happen, offered, rows, tell } = yield* world
        for (const happening of story) yield* happen(happening)
        tell()
        for (let second = 0; second < 20; second++) {
          for (let turn = 0; turn < 4; turn++) {
            for (const ends of recipients) yield* happen({ ends })
            yield* happen({ answers: true })
          }
          yield* TestClock.adjust("1 second")
        }
        const ids = offered.map(({ id }) => id)
        assert.sameMembers(ids, rows.map(({ message: { id } }) => id))
        for (const who of recipients) {
          const isReady = ({ dueAt, recipientKey }: OpenMessage) => recipientKey === who && dueAt === 0
          assert.deepStrictEqual(
            offered.filter(isReady).map(({ id }) => id),
            rows.map(({ message }) => message).filter(isReady).map(({ id }) => id)
          )
        }
      }).pipe(Effect.scoped)
  )
})
