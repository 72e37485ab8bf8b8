import { UserId } from "#schemas/Profile.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const tenants = yield* Tenants
  for (const id of ["a", "b", "c"]) yield* tenants.replace(scope, id, { name: id })
  return { scope, tenants, memberships: yield* Memberships }
})

const of = (tenantId: string, profile?: { readonly [key: string]: string } | null) => ({ tenantId, profile })
const all = { limit: 100, cursor: undefined }

/** What every store of memberships promises. */
export const membershipsContract = <E>(name: string, stores: Layer.Layer<Memberships | Profiles | Tenants, E>) =>
  layer(stores)(`Memberships: ${name}`, (it) => {
    it.effect("are created and replaced one by one; the others stay", () =>
      Effect.gen(function*() {
        const { memberships, scope } = yield* start
        const profile = { nul: "\u0000", constructor: "x" }
        yield* memberships.put(scope, "ada@x", [of("b", profile), of("a"), of("a", { last: "wins" })])
        yield* memberships.put(scope, "ada@x", [of("c")])
        const userId = "ada@x"
        assert.deepStrictEqual((yield* memberships.ofUser(scope, userId, all)).items, [
          { userId, tenantId: "a", profile: { last: "wins" } },
          { userId, tenantId: "b", profile },
          { userId, tenantId: "c", profile: undefined }
        ])
        yield* memberships.put(scope, userId, [of("b", null)])
        assert.deepStrictEqual(
          yield* memberships.find(scope, userId, "b"),
          Option.some({ userId, tenantId: "b", profile: undefined })
        )
        yield* memberships.put(scope, userId, [])
      }))

    it.effect("keep the profile where none is said, and lose it where it is null", () =>
      Effect.gen(function*() {
        const { memberships, scope, tenants } = yield* start
        const profile = { vip: "yes" }
        const profileIn = (tenantId: string) =>
          Effect.map(memberships.find(scope, "ada", tenantId), Option.map((found) => found.profile))
        yield* memberships.put(scope, "ada", [of("a", profile), of("b", profile)])
        yield* memberships.put(scope, "ada", [of("a"), of("b", null), of("c")])
        assert.deepStrictEqual(yield* profileIn("a"), Option.some(profile))
        assert.deepStrictEqual(yield* profileIn("b"), Option.some(undefined))
        assert.deepStrictEqual(yield* profileIn("c"), Option.some(undefined))
        yield* memberships.put(scope, "ada", [of("b", profile), of("b"), of("c"), of("c", profile), of("a"), of("a")])
        for (const id of ["a", "b", "c"]) assert.deepStrictEqual(yield* profileIn(id), Option.some(profile))
        // What a deleted tenant knew of its users does not come back with a new one of its name.
        yield* tenants.remove(scope, "a")
        yield* tenants.replace(scope, "a", { name: "a" })
        yield* memberships.put(scope, "ada", [of("a")])
        assert.deepStrictEqual(yield* profileIn("a"), Option.some(undefined))
      }))

    it.effect("none is made when one of the tenants does not exist", () =>
      Effect.gen(function*() {
        const { memberships, scope } = yield* start
        const refused = yield* Effect.flip(memberships.put(scope, "ada", [of("a"), of("none"), of("b")]))
        assert.deepInclude(refused, { _tag: "TenantNotFound", id: "none" })
        assert.deepStrictEqual((yield* memberships.ofUser(scope, "ada", all)).items, [])
      }))

    it.effect("P10: none is made in a tenant that only another environment has", () =>
      Effect.gen(function*() {
        const { memberships, scope } = yield* start
        const elsewhere = yield* start
        yield* elsewhere.tenants.replace(elsewhere.scope, "theirs", { name: "theirs" })
        const refused = yield* Effect.flip(memberships.put(scope, "ada", [of("a"), of("theirs")]))
        assert.deepInclude(refused, { _tag: "TenantNotFound", id: "theirs" })
      }))

    it.effect("are removed one by one or all of a user, and of nobody else (P10)", () =>
      Effect.gen(function*() {
        const { memberships, scope } = yield* start
        const elsewhere = yield* start
        for (const world of [scope, elsewhere.scope]) {
          for (const user of ["ada", "bob"]) yield* memberships.put(world, user, [of("a"), of("b"), of("c")])
        }
        yield* memberships.remove(scope, "ada", "b")
        yield* memberships.remove(scope, "ada", "b")
        assert.deepStrictEqual(
          (yield* memberships.ofUser(scope, "ada", all)).items.map(({ tenantId }) => tenantId),
          ["a", "c"]
        )
        yield* memberships.removeAll(scope, "ada")
        assert.deepStrictEqual((yield* memberships.ofUser(scope, "ada", all)).items, [])
        assert.lengthOf((yield* memberships.ofUser(scope, "bob", all)).items, 3)
        assert.lengthOf((yield* memberships.ofUser(elsewhere.scope, "ada", all)).items, 3)
      }))

    it.effect("stay when their user is removed, without what they told of the user", () =>
      Effect.gen(function*() {
        const { memberships, scope } = yield* start
        yield* memberships.put(scope, "ada", [of("a", { email: "ada@a.example" }), of("b")])
        yield* memberships.put(scope, "bob", [of("a", { email: "bob@a.example" })])
        yield* (yield* Profiles).remove(scope, UserId.make("ada"))
        const left = [{ tenantId: "a", profile: undefined }, { tenantId: "b", profile: undefined }]
        assert.deepStrictEqual(
          (yield* memberships.ofUser(scope, "ada", all)).items,
          left.map((one) => ({ ...one, userId: "ada" }))
        )
        assert.deepStrictEqual((yield* memberships.ofUser(scope, "bob", all)).items, [
          { tenantId: "a", userId: "bob", profile: { email: "bob@a.example" } }
        ])
      }))

    it.effect("of one turn, each lookup gets its own answer; the only tenant is known as such", () =>
      Effect.gen(function*() {
        const { memberships, scope } = yield* start
        const elsewhere = yield* start
        yield* memberships.put(scope, "one", [of("b", { in: "b" })])
        yield* memberships.put(scope, "two", [of("a"), of("c")])
        yield* memberships.put(elsewhere.scope, "two", [of("c", { in: "c" })])
        const found = yield* Effect.all([
          memberships.sole(scope, "one"),
          memberships.sole(scope, "two"),
          memberships.sole(scope, "none"),
          memberships.sole(elsewhere.scope, "two"),
          memberships.find(scope, "one", "b"),
          memberships.find(scope, "one", "a"),
          memberships.find(scope, "two", "c")
        ], { concurrency: "unbounded" })
        const one = Option.some({ userId: "one", tenantId: "b", profile: { in: "b" } })
        assert.deepStrictEqual(found, [
          one,
          Option.none(),
          Option.none(),
          Option.some({ userId: "two", tenantId: "c", profile: { in: "c" } }),
          one,
          Option.none(),
          Option.some({ userId: "two", tenantId: "c", profile: undefined })
        ])
      }))

    it.effect("are listed page by page, of a user by tenant and of a tenant by user", () =>
      Effect.gen(function*() {
        const { memberships, scope } = yield* start
        for (const user of ["u2", "u3", "u1", "U"]) yield* memberships.put(scope, user, [of("a")])
        yield* memberships.put(scope, "u1", [of("b"), of("c")])
        const users: Array<string> = []
        let cursor: string | undefined
        do {
          const page = yield* memberships.ofTenant(scope, "a", { limit: 3, cursor })
          users.push(...page.items.map((item) => item.userId))
          cursor = page.cursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(users, ["U", "u1", "u2", "u3"])
        const first = yield* memberships.ofUser(scope, "u1", { limit: 2, cursor: undefined })
        const second = yield* memberships.ofUser(scope, "u1", { limit: 2, cursor: first.cursor })
        assert.deepStrictEqual([...first.items, ...second.items].map((item) => item.tenantId), ["a", "b", "c"])
        const refused = yield* Effect.flip(memberships.ofUser(scope, "u2", { limit: 2, cursor: first.cursor }))
        assert.strictEqual(refused._tag, "InvalidCursor")
      }))

    it.effect("a page ends early where profiles are large, and has one at least", () =>
      Effect.gen(function*() {
        const { memberships, scope, tenants } = yield* start
        yield* tenants.replace(scope, "d", { name: "d" })
        for (const [n, text] of Walk.large.entries()) {
          yield* memberships.put(scope, `u${n}`, [of("a", { text })])
          yield* memberships.put(scope, "ada", [of(["a", "b", "c", "d"][n] ?? "", { text })])
        }
        yield* Walk.early(
          (page) => memberships.ofUser(scope, "ada", page),
          ({ tenantId }) => tenantId,
          ["a", "b", "c", "d"]
        )
        yield* memberships.removeAll(scope, "ada")
        yield* Walk.early(
          (page) => memberships.ofTenant(scope, "a", page),
          ({ userId }) => userId,
          ["u0", "u1", "u2", "u3"]
        )
      }))
  })
