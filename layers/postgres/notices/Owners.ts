import * as DueNotice from "#layers/postgres/notices/DueNotice.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Context, Duration, Effect, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(2))])

/** How long a stop waits for its last notice. */
const lastPatience = "1 second"

/**
 * Tells the owners of shards what there is to read (`DueNotice`), after it is committed. A commit that notifies keeps all
 * others of the database that notify waiting while it is synced to disk. A notice alone is not synced, and carries all
 * that came while the one before was sent. A node that dies between the two leaves an owner unaware: whoever takes one
 * of its shards reads all that is due in its own, and each owner reads again after `sweepInterval`.
 */
export class Owners extends Context.Service<Owners, {
  /** Soon, and again until the database has taken it. */
  readonly tell: (work: Iterable<DueNotice.Work>) => void
  /**
   * Writes rows that make this work, and then tells of those shards that this node does not own by then: one that it has
   * given up meanwhile has another owner. Tells also if no answer came, since the rows may be stored.
   */
  readonly telling: <A, E, R>(
    work: ReadonlyArray<DueNotice.Work>,
    write: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}>()("tidings/postgres/Owners") {}

export const layer = Layer.effect(
  Owners,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { owns } = yield* Handover
    const came = Latch.makeUnsafe()
    /** By what they are, so that there are no more than shards and kinds. */
    const waiting = new Map<string, DueNotice.Work>()

    const tell = (work: Iterable<DueNotice.Work>) => {
      for (const one of work) waiting.set(`${one.shard} ${one.kind}`, one)
      if (waiting.size > 0) Latch.openUnsafe(came)
    }

    const send = Effect.suspend(() => {
      Latch.closeUnsafe(came)
      const told = [...waiting.values()]
      waiting.clear()
      const notice = DueNotice.of(told)
      return notice === undefined
        ? Effect.void
        : Effect.onError(sql`select pg_notify(${DueNotice.channel}, ${notice})`, () => Effect.sync(() => tell(told)))
    })

    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(send, lastPatience)))
    yield* came.await.pipe(
      Effect.andThen(Effect.retry(send, backoff)),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("owners could not be told of their work", defect), Effect.sleep("1 second"))
      ),
      Effect.forever,
      Effect.forkScoped
    )

    return Owners.of({
      tell,
      telling: (work, write) =>
        Effect.ensuring(write, Effect.sync(() => tell(work.filter(({ shard }) => !owns(shard)))))
    })
  })
)
