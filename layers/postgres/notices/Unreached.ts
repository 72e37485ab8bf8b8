import * as Runners from "#layers/postgres/Runners.ts"
import * as Outage from "#src/store/Outage.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/**
 * How often is looked. A node that the others did not reach at two looks is told of: one that stood still for a moment
 * is reached again by the second.
 */
const looked = "5 seconds"

/**
 * Warns while the other nodes do not reach this one at `address`, and says once that they do again. It lives, accepts,
 * and owns nothing: nobody would look for the reason here.
 */
export const layer = (address: string) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const patiently = yield* Patience.asking(Patience.callers)
    let before = false

    const outage = Outage.make({
      lost: () =>
        Effect.logWarning(
          `the other nodes do not reach this one at ${address}, and serve its shards: until they do, it only accepts; ` +
            "see what lies between them, or set TIDINGS_CLUSTER_HOST, TIDINGS_CLUSTER_PORT to where they reach it"
        ),
      found: Effect.logInfo(`the other nodes reach this one at ${address} again`)
    })

    const look = Effect.gen(function*() {
      const found = yield* sql`select 1 from ${sql(Runners.table)} where address = ${address} and not healthy`
      const isUnreached = found.length > 0
      if (!isUnreached) yield* outage.found()
      else if (before) yield* outage.lost(undefined)
      before = isUnreached
    })

    yield* patiently(look).pipe(
      Effect.ignore,
      Effect.catchDefect((defect) => Effect.logError("whether the other nodes reach this one is unknown", defect)),
      Effect.delay(looked),
      Effect.forever,
      Effect.forkScoped
    )
  }))
