import { Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Queue } from "effect"

describe("What the owner of a shard is told of what another node accepts", () => {
  it.live("P1: is the lane, of what is due before the owner reads again by itself", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      const other = Context.get(yield* Layer.build(FreshDatabase.node(database)), PgClient.PgClient)
      const notices = yield* other.listen("tidings_due")
      const told = Effect.map(Queue.take(notices), ({ payload }) => payload)
      yield* Effect.gen(function*() {
        const place = yield* Fixture.world
        const { accept } = yield* Journal
        const accepted = (more: Parameters<typeof Fixture.message>[1]) =>
          accept(Fixture.acceptance(place, [Fixture.message(place, more)]))
        yield* accepted({})
        assert.strictEqual(yield* told, `${place.shard},transactional`)
        yield* accepted({ dueAt: place.at + 120_000 })
        assert.strictEqual(yield* told, `${place.shard},transactional`)
        yield* accepted({ dueAt: place.at + 120_001 })
        yield* accepted({ lane: "bulk" })
        assert.strictEqual(yield* told, `${place.shard},bulk`)
      }).pipe(Effect.provide(Layer.fresh(Stores.layer.pipe(Layer.provide(FreshDatabase.node(database))))))
    }).pipe(Effect.scoped), 20_000)
})
