import { Handover } from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Queue } from "effect"

describe("A shard that a node gives up while it writes rows of it", () => {
  it.live("A5: has an owner who hears of them", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      const other = Context.get(yield* Layer.build(FreshDatabase.node(database)), PgClient.PgClient)
      const heard = yield* other.listen("tidings_due")
      const stores = Stores.layer.pipe(Layer.provide(FreshDatabase.node(database)))
      yield* Effect.gen(function*() {
        const place = yield* Fixture.world
        let asked = 0
        yield* Handover.use(({ connect }) =>
          connect({
            // Only until the rows are on their way.
            owns: () => asked++ === 0,
            room: Effect.void,
            offer: () => Effect.void,
            stir: Effect.void,
            behind: () => Effect.void
          })
        )
        yield* Journal.use(({ accept }) => accept(Fixture.acceptance(place, [Fixture.message(place)])))
        const { payload } = yield* Queue.take(heard)
        assert.strictEqual(payload, `${place.shard},transactional`)
      }).pipe(Effect.provide(Layer.fresh(stores)))
    }).pipe(Effect.scoped), 20_000)
})
