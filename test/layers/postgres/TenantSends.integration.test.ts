import type { Recipient } from "#schemas/Recipient.ts"
import { Brands } from "#src/content/Brands.ts"
import { fromRow } from "#src/delivery/journal/OpenMessage.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Statements from "#test/layers/postgres/Statements.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const statements = Statements.make()

const stores = Layer.merge(
  Stores.layer.pipe(Layer.provide(FreshDatabase.layerEmpty)),
  Fake.layer([Fake.nothing("smtp", "email")])
).pipe(Layer.provideMerge(statements.layer))

const start = Effect.gen(function*() {
  const world = yield* Fixture.world
  const { decide } = yield* Stages.make
  const send = Effect.fnUntraced(function*(recipient: Recipient) {
    const { events: _, ...message } = Fixture.message(world)
    const open = yield* Effect.orDie(fromRow({ ...message, recipient: "{}", instructions: "{}" }))
    return yield* decide({ ...open, recipient, instructions: { content: { title: "a", body: "b" } } })
  })
  const many = (recipient: (n: number) => Recipient) =>
    statements.counting(
      Effect.all(Array.from({ length: 50 }, (_, n) => send(recipient(n))), { concurrency: "unbounded" })
    ).pipe(Effect.map((counted) => counted.statements))
  return { ...world, many, brands: yield* Brands, memberships: yield* Memberships, tenants: yield* Tenants }
})

const address = (n: number): Recipient => ({ email: `u${n}@example.com` })

layer(stores)("Sends in a tenant on Postgres", (it) => {
  it.effect("a message to an address costs no statement, with or without tenants and brands", () =>
    Effect.gen(function*() {
      const { brands, many, scope, tenants } = yield* start
      yield* many(address)
      assert.strictEqual(yield* many(address), 0)
      yield* brands.create(scope, "b", { name: "B" })
      yield* tenants.replace(scope, "acme", { name: "Acme", brand_id: "b" })
      yield* TestClock.adjust("1 minute")
      yield* many(address)
      assert.strictEqual(yield* many(address), 0)
      const inAcme = (n: number): Recipient => ({ email: `u${n}@example.com`, tenant_id: "acme" })
      yield* many(inAcme)
      assert.strictEqual(yield* many(inAcme), 0)
    }))

  it.effect("fifty users of one turn cost one statement for each kind of thing that is theirs", () =>
    Effect.gen(function*() {
      const { many, memberships, scope, tenants } = yield* start
      const user = (n: number): Recipient => ({ user_id: `u${n}` })
      const profiles = 1
      yield* many(user)
      assert.strictEqual(yield* many(user), profiles)
      yield* tenants.replace(scope, "acme", { name: "Acme" })
      yield* memberships.put(scope, "u1", [{ tenantId: "acme", profile: { title: "Dr" } }])
      yield* TestClock.adjust("1 minute")
      yield* many(user)
      // The only tenants of users who name none, u1's membership, the profiles.
      assert.isAtMost(yield* many(user), profiles + 3)
      const inAcme = (n: number): Recipient => ({ user_id: `u${n}`, tenant_id: "acme" })
      yield* many(inAcme)
      assert.isAtMost(yield* many(inAcme), profiles + 1)
    }))

  it.effect("two nodes that put tenants below one another at once make no circle", () =>
    Effect.gen(function*() {
      const { scope, tenants } = yield* start
      for (const id of ["a", "b"]) yield* tenants.replace(scope, id, { name: id })
      const below = (id: string, parent: string) =>
        Effect.exit(tenants.replace(scope, id, { name: id, parent_tenant_id: parent }))
      const exits = yield* Effect.all([below("a", "b"), below("b", "a")], { concurrency: 2 })
      assert.strictEqual(exits.filter((exit) => exit._tag === "Success").length, 1)
    }))
})
