import { type Acceptance, Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Queue } from "effect"

/** What another node hears while this is accepted, one after the other, on a node that owns nothing. */
const heard = Effect.fnUntraced(function*(acceptances: (place: Fixture.World) => ReadonlyArray<Acceptance>) {
  const database = yield* FreshDatabase.url
  const other = Context.get(yield* Layer.build(FreshDatabase.node(database)), PgClient.PgClient)
  const notices = yield* other.listen("tidings_due")
  return yield* Effect.gen(function*() {
    const place = yield* Fixture.world
    const { accept } = yield* Journal
    yield* Effect.forEach(acceptances(place), accept, { discard: true })
    yield* other`select pg_notify('tidings_due', 'end')`
    const told: Array<string> = []
    yield* Effect.map(Queue.take(notices), ({ payload }) => told.push(payload)).pipe(
      Effect.repeat({ until: () => told.at(-1) === "end" })
    )
    return { place, told: told.slice(0, -1) }
  }).pipe(Effect.provide(Layer.fresh(Stores.layer.pipe(Layer.provide(FreshDatabase.node(database))))))
})

describe("What the owner of a shard is told of what another node accepts", () => {
  it.live("P1: is the lane, of what is due before the owner reads again by itself", () =>
    Effect.gen(function*() {
      const { place, told } = yield* heard((world) => {
        const accepted = (more: Parameters<typeof Fixture.message>[1]) =>
          Fixture.acceptance(world, [Fixture.message(world, more)])
        return [
          accepted({}),
          accepted({ lane: "bulk" }),
          accepted({ dueAt: world.at + 120_000 }),
          accepted({ dueAt: world.at + 120_001 })
        ]
      })
      assert.deepStrictEqual(
        told,
        ["transactional", "bulk", "transactional"].map((lane) => `${place.shard},${lane}`)
      )
    }).pipe(Effect.scoped), 20_000)
})
