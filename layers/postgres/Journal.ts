import { Looks } from "#layers/postgres/Looks.ts"
import { OpenSince } from "#layers/postgres/OpenDays.ts"
import * as Accept from "#layers/postgres/journal/Accept.ts"
import { due } from "#layers/postgres/journal/Due.ts"
import * as GroupCommit from "#layers/postgres/journal/GroupCommit.ts"
import { observe } from "#layers/postgres/journal/Observe.ts"
import * as Record from "#layers/postgres/journal/Record.ts"
import * as Room from "#layers/postgres/Room.ts"
import * as Take from "#layers/postgres/journal/Take.ts"
import * as Followers from "#src/access/Followers.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import * as Weight from "#src/delivery/journal/Weight.ts"
import { type Acceptance, type Accepted, Journal, type RowRefused } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"

/** A caller is answered within 2.5 s (reliability.md 2.6), its wait for admission included; an owner may wait longer for its write. */
const callersPatience = "1500 millis"
const ownersPatience = "10 seconds"

/** Accepts under way at once: the others gather and are answered while one is committed. Steps do better in larger batches. */
const acceptWriters = 3
/** Of 64 callers that are answered and call again together, the database writes the first half while the second is read. */
const enoughAccepts = 32

const given = <A>(value: A | undefined): ReadonlyArray<A> => value === undefined ? [] : [value]

/** The journal on Postgres: three writers (accept, record, take), each a group commit. */
export const layer = Layer.effect(
  Journal,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const handover = yield* Handover
    const random = yield* SecureRandom.SecureRandom
    const room = yield* Room.Room
    const process = yield* random.uuidV4()
    let accepted = 0

    /** Readiness hears of a full disk from whoever finds it. */
    const told =
      <I, A>(write: (items: ReadonlyArray<I>) => Effect.Effect<A, SqlError.SqlError | StoreUnavailable>) =>
      (items: ReadonlyArray<I>) =>
        Effect.tapError(write(items), (error) => error._tag === "SqlError" ? room.failed(error) : Effect.void)

    const insert = Accept.write(sql)
    /** Owned messages go to their mailboxes in the order of the flush, before any caller hears of the commit (P3). */
    const acceptBatch = told(Effect.fnUntraced(function*(batch: ReadonlyArray<Accept.Named>) {
      const unowned = new Set<number>()
      for (const { acceptance } of batch) {
        for (const { shard } of [...acceptance.messages, ...given(acceptance.expansion)]) {
          if (!handover.owns(shard)) unowned.add(shard)
        }
      }
      const results = yield* insert(batch, [...unowned])
      const fresh = batch.flatMap(({ acceptance }, n) => results[n]?.replayed === true ? [] : acceptance.messages)
      // Its first call may have ended without a word of its commit: what was sent after this answer comes after those rows (P3).
      if (results.some(({ replayed }) => replayed)) yield* handover.behind
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
    const record = yield* GroupCommit.make({
      name: "steps",
      capacity: 100_000,
      writers: 1,
      maxBatch: Weight.most,
      weigh: Weight.of,
      patience: ownersPatience,
      write: told(Record.write(sql))
    })
    const take = yield* GroupCommit.make({
      name: "take-overs",
      capacity: 10_000,
      writers: 1,
      maxBatch: 1_024,
      patience: ownersPatience,
      write: told(Take.write(sql))
    })

    const look = due(sql, yield* OpenSince)
    const patiently = yield* Patience.asking(yield* Looks)

    /** Calls of one key in this process share the first one's flush: a flush never holds a key twice, and nobody waits on a row lock. */
    const shared = Followers.make<Accepted, RowRefused | StoreUnavailable>()

    return Journal.of({
      accept: (acceptance: Acceptance) => {
        const named = { acceptance, owner: `${process}:${accepted++}`, weight: Weight.ofAcceptance(acceptance) }
        const { key } = acceptance
        return key === undefined
          ? accept(named)
          : shared(`${key.scope}\n${key.path}\n${key.value}`, Effect.uninterruptible(accept(named)))
      },
      record,
      observe: observe(sql, handover),
      take: (shard, node, at) =>
        take({ shard, node, at }).pipe(
          Effect.catchTag("RowRefused", (refused) => Effect.fail(new StoreUnavailable({ cause: refused.cause })))
        ),
      due: (window) => patiently(look(window))
    })
  })
).pipe(Layer.provide(Room.layer))
