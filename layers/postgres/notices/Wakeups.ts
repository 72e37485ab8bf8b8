import { NodeId } from "#layers/cluster/NodeId.ts"
import * as DueNotice from "#layers/postgres/notices/DueNotice.ts"
import { Invalidations, ofNotice } from "#layers/postgres/notices/Invalidations.ts"
import * as Listening from "#layers/postgres/notices/Listening.ts"
import * as Owners from "#layers/postgres/notices/Owners.ts"
import * as Runners from "#layers/postgres/Runners.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { Shards } from "#src/delivery/Shards.ts"
import * as Patience from "#src/store/Patience.ts"
import * as Now from "#src/fibers/Now.ts"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Schema } from "effect"

/**
 * Ms between counts of the nodes, and for how long after another node's `join` this one does not count as alone, by
 * monotonic time: a clock that is set ahead would end that at once, and one that is set back put it off.
 */
const counted = 2_000
const joining = 10_000

/** Ms by which the clock may get ahead between two counts without counting as set ahead. */
const stepped = 1_000

/** A node that was not heard of for so many ms counts as gone. */
const silence = 60_000

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ nodes: Schema.Int })]))

const collision = (address: string) =>
  `another node of this database says that it is at ${address} too: each needs a TIDINGS_CLUSTER_HOST of its own, at which the others ` +
  "reach it; until then the two share the work of one"

/** A node of the same address answers `join` with `here`. Earlier versions read only the first word. */
const announcing = (sql: PgClient.PgClient, self: string, address: string) => (word: "join" | "here") =>
  sql`select pg_notify(${DueNotice.channel}, ${`${word} ${self} ${address}`})`

/**
 * Announces a server whose engine runs in workers, before it accepts anything and then again and again: it is not in the
 * cluster's table itself, and its workers may be gone from it for a while.
 */
export const announced = Effect.fnUntraced(function*(address: string) {
  const announce = announcing(yield* PgClient.PgClient, yield* NodeId, address)
  yield* announce("join")
  yield* announce("join").pipe(
    Effect.catchCause((cause) => Effect.logDebug("the node was not announced", cause)),
    Effect.delay(joining / 2),
    Effect.forever,
    Effect.forkScoped
  )
}, Layer.effectDiscard)

/**
 * Tells of each shard that this node gives up. If it had lost the shard before, as one that stood still, what it
 * accepted for it since then was told to nobody.
 */
const givingUp = Effect.fnUntraced(function*({ watch }: Shards["Service"]) {
  const owners = yield* Owners.Owners
  let owned: ReadonlyArray<number> = []
  yield* watch(({ shards }) => {
    const given = owned.filter((shard) => !shards.includes(shard))
    owned = shards
    owners.tell(given.flatMap((shard) => DueNotice.kinds.map((kind) => ({ shard, kind }))))
  })
})

/**
 * Wakes this node when another node accepts messages for its shards, tells it what another one has changed, and keeps it
 * informed whether there is another node. A notification that came while it did not listen is made up for: after each
 * (re)listen, and after the database's clock was set ahead, everything due is read; what was changed is asked for within
 * a second (`Revisions`). A node announces itself before it accepts anything.
 * `address` is where other nodes reach this one. The cluster's table takes two nodes of one address for one, so they
 * detect each other by notifications, and log it.
 */
export const layer = Effect.fnUntraced(
  function*(address: string) {
    const sql = yield* PgClient.PgClient
    const shards = yield* Shards
    const handover = yield* Handover
    const self = yield* NodeId
    const invalidations = yield* Invalidations
    const patiently = yield* Patience.asking(Patience.callers)
    let joinedAt = -Infinity
    let namesakeAt = -Infinity
    let told = false
    let listening = false
    let offset = Infinity

    const announce = announcing(sql, self, address)

    yield* shards.alone(false)
    yield* announce("join")
    yield* givingUp(shards)

    const heardOf = Effect.fnUntraced(function*(word: string, from: string, at: string | undefined) {
      // Of its own server, which hands over to it what it accepts. With other workers beside it, that is not enough.
      if (from === self && at === address) return
      const now = yield* Now.monotonicMillis
      if (word === "join") joinedAt = now
      yield* shards.alone(false)
      if (at !== address) return
      namesakeAt = now
      if (word === "join") yield* announce("here")
      if (told) return
      told = true
      yield* Effect.logWarning(collision(address))
    })

    /** Wakes the owners after the clock was set ahead: they sleep until a time that they computed with the old clock. */
    const wakeAfterStep = Effect.fnUntraced(function*(ahead: number) {
      const before = offset
      offset = ahead
      if (offset - before > stepped) yield* shards.wake
    })

    const count = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const passed = yield* Now.monotonicMillis
      yield* wakeAfterStep(now - passed)
      const [{ nodes }] = yield* decode(
        yield* sql`select count(*)::int as nodes from ${sql(Runners.table)}
        where ${sql.literal(Runners.heardAt)} > ${now - silence}`
      )
      const isNamesakeNear = passed - namesakeAt < silence
      if (isNamesakeNear) yield* announce("here")
      else if (told) {
        told = false
        yield* Effect.logInfo(`no other node says any more that it is at ${address}`)
      }
      yield* shards.alone(listening && nodes <= 1 && !isNamesakeNear && passed - joinedAt > joining)
    }).pipe(
      patiently,
      Effect.catchCause((cause) =>
        Effect.andThen(Effect.logDebug("the nodes were not counted", cause), shards.alone(false))
      )
    )

    yield* Listening.make(DueNotice.channel, "new messages", {
      began: Effect.gen(function*() {
        yield* shards.wake
        // Announced again: an answer to the first `join` may have come before this node listened.
        yield* announce("join")
        listening = true
      }),
      heard: Effect.fnUntraced(function*(payload) {
        const [word = "", from = "", at] = payload.split(" ")
        if (word === "join" || word === "here") return yield* heardOf(word, from, at)
        const invalidation = ofNotice(payload)
        if (invalidation !== undefined) return yield* invalidations.tell(invalidation)
        const owned = yield* shards.owned
        const { kinds, shards: told } = DueNotice.read(payload)
        if (!told.some((shard) => owned.includes(shard))) return
        if (kinds === undefined) return yield* shards.wake
        yield* handover.behind(Lane.literals.filter((lane) => kinds.includes(lane)))
        if (kinds.includes("expansions")) yield* handover.stir
      }),
      ended: Effect.suspend(() => {
        listening = false
        return shards.alone(false)
      })
    })
    yield* Effect.andThen(Effect.sleep(counted), count).pipe(Effect.forever, Effect.forkScoped)
  },
  Layer.effectDiscard,
  Layer.provide(Owners.layer)
)
