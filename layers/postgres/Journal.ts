import { Looks } from "#layers/postgres/statements/Looks.ts"
import { OpenSince } from "#layers/postgres/days/OpenDays.ts"
import { OpenFrom } from "#layers/postgres/days/OpenRows.ts"
import * as Accept from "#layers/postgres/journal/Accept.ts"
import { due } from "#layers/postgres/journal/Due.ts"
import * as GroupCommit from "#layers/postgres/journal/GroupCommit.ts"
import { observing } from "#layers/postgres/journal/Observe.ts"
import * as Record from "#layers/postgres/journal/Record.ts"
import type * as DueNotice from "#layers/postgres/notices/DueNotice.ts"
import * as Owners from "#layers/postgres/notices/Owners.ts"
import * as Room from "#layers/postgres/Room.ts"
import * as Take from "#layers/postgres/journal/Take.ts"
import * as Hearers from "#layers/postgres/webhooks/Hearers.ts"
import * as Followers from "#src/access/Followers.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Lane } from "#src/delivery/journal/OpenMessage.ts"
import * as Weight from "#src/delivery/journal/Weight.ts"
import { type Acceptance, type Accepted, Journal, type RowRefused } from "#src/delivery/Journal.ts"
import { sweepInterval } from "#src/delivery/shards/SweepInterval.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Exit, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"

/**
 * How long a flush of acceptances may take: with its wait for admission, a caller is answered within 2.5 s
 * (reliability.md 2.6), unless what it sends weighs more than a flush may (`Weight.most`). A shard's owner may wait
 * longer for its writes.
 */
const callersPatience = "1500 millis"
const ownersPatience = "10 seconds"

/**
 * Flushes of acceptances under way at once: while one commits, the next gathers its batch or answers its callers. A
 * third one makes batches smaller, and accepts a twelfth fewer in a second; one alone makes a caller of a distant database
 * wait for two flushes. Steps have one writer, since they gain more from larger batches.
 */
const acceptWriters = 2
/**
 * When 64 callers are answered together and call again together, the database writes the first half of them while this
 * process still reads the second.
 */
const enoughAccepts = 32

/** In ms: what is due later than this is not told of, since its owner has read it by then. */
const seenInTime = 2 * sweepInterval

const workOf = ({ at, expansion, messages }: Acceptance): ReadonlyArray<DueNotice.Work> => [
  ...messages.flatMap(({ dueAt, lane, shard }) => dueAt > at + seenInTime ? [] : [{ shard, kind: lane }]),
  ...(expansion === undefined ? [] : [{ shard: expansion.shard, kind: "expansions" as const }])
]

/** The journal on Postgres: three writers (accept, record, take), each a group commit. */
export const layer = Layer.effect(
  Journal,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const handover = yield* Handover
    const owners = yield* Owners.Owners
    const random = yield* SecureRandom.SecureRandom
    const room = yield* Room.Room
    const process = yield* random.uuidV4()
    let accepted = 0

    /** Tells `Room` of every write that failed, by which readiness learns that the disk is full. */
    const told =
      <I, A>(write: (items: ReadonlyArray<I>) => Effect.Effect<A, SqlError.SqlError | StoreUnavailable>) =>
      (items: ReadonlyArray<I>) =>
        Effect.tapError(write(items), (error) => error._tag === "SqlError" ? room.failed(error) : Effect.void)

    const hears = yield* Hearers.make
    const insert = Accept.write(sql)
    /** What a flush without an answer has stored was offered to nobody: it is read, and does not wait for a sweep. */
    const unheard = Effect.andThen(handover.behind(Lane.literals), handover.stir)
    /** Owned messages go to their mailboxes in the order of the flush, before any caller hears of the commit (P3). */
    const acceptBatch = told(Effect.fnUntraced(function*(batch: ReadonlyArray<Accept.Named>) {
      yield* handover.room
      const work = batch.flatMap(({ acceptance }) => workOf(acceptance))
      const isHeard = yield* hears(batch.flatMap(({ acceptance: { messages } }) => messages.map(({ scope }) => scope)))
      const results = yield* Effect.onError(
        owners.telling(work, insert(batch, isHeard)),
        () => unheard
      )
      const isFresh = results.map((kept) => Exit.isSuccess(kept) && !kept.value.replayed)
      const fresh = batch.flatMap(({ acceptance }, n) => isFresh[n] === true ? acceptance.messages : [])
      // The first call with this key may have committed without hearing of it, so that its rows were never offered
      // here. What this caller sends next must come after them (P3): the readers read the store first.
      if (isFresh.includes(false)) yield* handover.behind(Lane.literals)
      yield* handover.offer(fresh)
      if (batch.some(({ acceptance }) => acceptance.expansion !== undefined)) yield* handover.stir
      return results
    }))
    const accept = yield* GroupCommit.make({
      name: "accepts",
      capacity: 10_000,
      writers: acceptWriters,
      maxBatch: Weight.most,
      enough: enoughAccepts,
      weigh: ({ weight }) => weight,
      patience: callersPatience,
      write: acceptBatch
    })
    const put = Record.write(sql)
    const record = yield* GroupCommit.make({
      name: "steps",
      capacity: 100_000,
      writers: 1,
      maxBatch: Weight.most,
      weigh: Weight.of,
      patience: ownersPatience,
      watch: {
        came: ({ message }) => handover.stepCame(message.lane),
        left: ({ message }) => handover.stepLeft(message.lane)
      },
      write: told((batch) =>
        Effect.flatMap(hears(batch.map(({ message }) => message.scope)), (isHeard) => put(batch, isHeard))
      )
    })
    const take = yield* GroupCommit.make({
      name: "take-overs",
      capacity: 10_000,
      writers: 1,
      maxBatch: 1_024,
      patience: ownersPatience,
      write: told(Take.write(sql))
    })

    const look = due(sql, { since: yield* OpenSince, from: yield* OpenFrom })
    const patiently = yield* Patience.asking(yield* Looks)

    /**
     * Calls with the same idempotency key in this process share the flush of the first one: no flush holds a key twice,
     * and none of them waits for another's row lock.
     */
    const shared = Followers.make<Accepted, RowRefused | StoreUnavailable>()

    return Journal.of({
      accept: (acceptance: Acceptance) => {
        const named = { acceptance, owner: `${process}:${accepted++}`, weight: Weight.ofAcceptance(acceptance) }
        const { key } = acceptance
        const answered = Effect.flatMap(accept(named), Effect.orDie)
        return key === undefined
          ? answered
          : shared(`${key.scope}\n${key.path}\n${key.value}`, Effect.uninterruptible(answered))
      },
      record,
      ...observing(sql, handover, hears),
      take: (shard, node, at) =>
        take({ shard, node, at }).pipe(
          Effect.catchTag("RowRefused", (refused) => Effect.fail(new StoreUnavailable({ cause: refused.cause })))
        ),
      due: (window) => patiently(look(window))
    })
  })
).pipe(Layer.provide([Owners.layer, Room.layer]))
