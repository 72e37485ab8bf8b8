import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"

const stores = Stores.layer.pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(
        Directories.withDatabase,
        (dataDir) => Embedded.layer({ dataDir, durability: "process", connections: 5 })
      )
    )
  )
)

layer(stores, { timeout: "60 seconds", excludeTestServices: true })("Looks at an embedded database", (it) => {
  it.effect("a look waits once for the statements of others, however many it has itself", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { due } = yield* Journal
      const place = yield* Fixture.world
      yield* Fixture.accepted(place)
      const look = due(Fixture.window(place))
      let others = 0
      const statement = Effect.tap(
        sql`SELECT count(*) FROM generate_series(1, 50000)`,
        () => Effect.sync(() => others++)
      )
      const busy = yield* Effect.forEach([0, 1, 2], () => Effect.forkChild(Effect.forever(statement)))
      yield* look
      const before = others
      const { rows } = yield* look
      const meanwhile = others - before
      yield* Effect.forEach(busy, Fiber.interrupt)
      assert.lengthOf(rows, 1)
      assert.isAtMost(meanwhile, 2 * busy.length)
    }))
})
