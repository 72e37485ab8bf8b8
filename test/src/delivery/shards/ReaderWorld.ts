import { Journal, type Due, type Window } from "#src/delivery/Journal.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Weight from "#src/delivery/journal/Weight.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import * as Reader from "#src/delivery/shards/Reader.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Schema } from "effect"
import { TestClock } from "effect/testing"

/** Who is written to. */
export const recipients = ["ada", "bob"] as const
const Who = Schema.Literals(["ada", "ada", "ada", "bob"])
const Some = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))

/**
 * What happens to a node: messages are stored, some of which do not decode or weigh as much as nine, told of then or
 * with the next ones, or begun before they are stored; time passes, so that several become due at once; steps of a
 * recipient end; the store answers the look under way as things were when it was asked, or does not, or answers until
 * there is nothing more to ask. Only where it moves or rests does the reader's own fiber go on.
 */
export const Happening = Schema.Union([
  Schema.Struct({ stored: Who }),
  Schema.Struct({ broken: Who }),
  Schema.Struct({ heavy: Who }),
  Schema.Struct({ told: Who, times: Some }),
  Schema.Struct({ told: Who, times: Some }),
  Schema.Struct({ begun: Who }),
  Schema.Struct({ later: Who, times: Some }),
  Schema.Struct({ passes: Schema.Literal(true) }),
  Schema.Struct({ elsewhere: Who }),
  Schema.Struct({ moves: Some }),
  Schema.Struct({ rests: Schema.Literal(true) }),
  Schema.Struct({ ends: Who, times: Some }),
  Schema.Struct({ ends: Who, times: Some }),
  Schema.Struct({ answers: Schema.Boolean }),
  Schema.Struct({ calms: Schema.Literal(true) })
])

interface Row {
  readonly message: OpenMessage
  readonly isBroken?: boolean
  isOpen: boolean
}

const mailboxCapacity = 4

/** What a message says that weighs as much as nine. */
const heavy = "x".repeat(8 * 16_384)

/** A node's reader between a store, whose answers take their time, and mailboxes and turns that hold little. */
export const world = Effect.fnUntraced(function*(capacity: number) {
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
    const open = rows.filter(({ isOpen, message }) => isOpen && !inHand.includes(message.id))
    const isRead = ({ recipientKey, ...message }: OpenMessage) =>
      !fullMailboxes.includes(recipientKey) && !fullTurns.includes(LaneShares.turnOf(message))
    const ready = open.filter(({ message: { dueAt } }) => dueAt === 0)
    const taken = ready.filter(({ message }) => isRead(message)).slice(0, limit)
    const unread = new Set(ready).difference(new Set(taken))
    // None passes an older one of its recipient.
    const inOrder = taken.filter(({ message: { recipientKey } }, index) =>
      [...unread].every((row) =>
        row.message.recipientKey !== recipientKey || rows.indexOf(row) > rows.indexOf(taken[index] ?? row)
      )
    )
    const timed = open.filter(({ message }) => message.dueAt > 0 && message.dueAt <= now && isRead(message))
    // All others wait behind a turn that is full: another look would find the same.
    const isHalted = inOrder.length === 0 && fullTurns.length > 0
    const complete = timed.length <= limit &&
      (isHalted || ready.filter(({ message }) => isRead(message)).length <= limit)
    const next = Math.min(...open.flatMap(({ message: { dueAt } }) => dueAt > now ? [dueAt] : []))
    return {
      ...Fixture.nothingDue,
      rows: [...inOrder, ...timed.slice(0, limit)].map(({ isBroken, message }) => ({
        ...message,
        recipient: isBroken === true ? "{" : JSON.stringify(message.recipient),
        instructions: JSON.stringify(message.instructions)
      })),
      complete,
      next: complete && Number.isFinite(next) ? next : undefined
    }
  }
  const unused = Effect.die("nothing but what is due is asked for")
  const journal = Journal.of({
    accept: () => unused,
    record: () => unused,
    observe: () => unused,
    observeAll: () => unused,
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
    isFull: (key) => boxOf(key).length > mailboxCapacity / 2,
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
    backlogged: () => undefined,
    // Its write takes a while, in which all goes on.
    abandon: ({ id }) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => {
          for (const who of recipients) end(who)
          for (const row of rows) if (row.message.id === id) row.isOpen = false
        })
      )
  })
  reader.behind()

  /** Somebody may be in several tenants, whose turns must not change the order. */
  const make = (who: string, dueAt: number, enqueuedAt = 0, said = "") =>
    Fixture.message(place, {
      recipientKey: who,
      tenantId: ["x", "y"][rows.length % 2],
      dueAt,
      enqueuedAt,
      instructions: { data: { said } },
      size: said.length
    })
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
    // As `Mailboxes` does it: else each end would have the reader look, whatever it was told of.
    if (boxOf(who).length === mailboxCapacity / 2) reader.room()
    reader.freed()
  }
  const rest = Effect.repeat(Effect.yieldNow, { times: 9 })
  const happen = Effect.fnUntraced(function*(happening: typeof Happening.Type) {
    const now = yield* Clock.currentTimeMillis
    if ("stored" in happening) {
      const message = make(happening.stored, 0, now)
      store(message)
      untold.push(message)
    } else if ("broken" in happening) {
      rows.push({ message: make(happening.broken, 0), isBroken: true, isOpen: true })
      reader.behind()
    } else if ("heavy" in happening) {
      rows.push({ message: make(happening.heavy, 0, now, heavy), isOpen: true })
      reader.behind()
    } else if ("told" in happening) { for (let n = 0; n < happening.times; n++) tell(make(happening.told, 0)) }
    else if ("later" in happening) {
      for (let n = 0; n < happening.times; n++) tell(make(happening.later, now + 3_000))
    } else if ("passes" in happening) yield* TestClock.adjust("3 seconds")
    else if ("moves" in happening) yield* Effect.repeat(Effect.yieldNow, { times: happening.moves - 1 })
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
    } else if ("ends" in happening) { for (let n = 0; n < happening.times; n++) end(happening.ends) }
    else {
      if ("answers" in happening) yield* looks.shift()?.(happening.answers) ?? Effect.void
      else yield* rest
      if ("calms" in happening) {
        for (let asked = 0; looks.length > 0; asked++) {
          assert.isBelow(asked, 100, "it does not ask without end")
          yield* looks.shift()?.(true) ?? Effect.void
          yield* rest
        }
      }
    }
  })
  return { happen, rows, offered, untold, tell: () => reader.accept(untold.splice(0)) }
})

/** The ready messages of a recipient, in their order. */
export const idsOf = (who: string, messages: ReadonlyArray<OpenMessage>) =>
  messages.flatMap(({ dueAt, id, recipientKey }) => recipientKey === who && dueAt === 0 ? [id] : [])
