import type { AudienceFilter } from "#schemas/Audience.ts"
import { UserId } from "#schemas/Profile.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

const [ada, bob, cy] = [UserId.make("ada"), UserId.make("bob"), UserId.make("cy")]

const engineers: AudienceFilter = { filters: [{ operator: "EQ", path: "title", value: "Engineer" }] }
const draft = (filter: AudienceFilter | undefined) => ({ name: "n", description: "", filter, operator: undefined })

const start = Effect.gen(function*() {
  const { at, scope, ...place } = yield* Fixture.world
  const [audiences, profiles, steps] = [yield* Audiences, yield* Profiles, yield* AudienceSteps]
  /** Until there is nothing more to do. */
  const settled = steps.advance.pipe(Effect.repeat({ while: (more) => more }))
  const page = (id: string) => audiences.members(scope, id, { limit: 2_000, cursor: undefined })
  const members = Effect.fnUntraced(function*(id: string) {
    yield* settled
    return (yield* page(id)).items.map(({ userId }) => userId)
  })
  const engineer = (userId: UserId, title = "Engineer") => profiles.replace(scope, userId, { title })
  return {
    audiences,
    profiles,
    steps,
    scope,
    place: { ...place, at, scope },
    settled,
    page,
    members,
    engineer,
    now: yield* Clock.currentTimeMillis
  }
})

type Stores = Audiences | AudienceSteps | Journal | Memberships | Profiles | Tenants

/** What every store of audiences promises. */
export const audiencesContract = <E>(name: string, stores: Layer.Layer<Stores, E>) =>
  layer(stores)(`Audiences: ${name}`, (it) => {
    it.effect("are kept as they were given, and replaced whole", () =>
      Effect.gen(function*() {
        const { audiences, now, scope } = yield* start
        const filter: AudienceFilter = {
          operator: "OR",
          filters: [
            { operator: "EQ", path: "a", value: "\u2028'" },
            { operator: "AND", filters: [{ operator: "EXISTS", path: "b" }] }
          ]
        }
        const given = { name: "N ' é", description: "d", filter, operator: "AND" as const }
        const made = yield* audiences.put(scope, "a/b", given)
        assert.deepStrictEqual(made, { id: "a/b", ...given, version: 1, created: now, updated: now })
        assert.deepStrictEqual(yield* audiences.get(scope, "a/b"), made)
        yield* TestClock.adjust("1 second")
        const replaced = yield* audiences.put(scope, "a/b", draft(undefined))
        assert.deepStrictEqual(replaced, {
          id: "a/b",
          ...draft(undefined),
          version: 2,
          created: now,
          updated: now + 1_000
        })
        const listed = yield* audiences.list(scope, { limit: 9, cursor: undefined })
        assert.deepStrictEqual(listed, { items: [replaced], cursor: undefined })
        const removals = [audiences.remove(scope, "a/b"), audiences.remove(scope, "a/b")]
        assert.sameMembers(yield* Effect.all(removals, { concurrency: 2 }), [true, false])
        assert.strictEqual((yield* Effect.flip(audiences.get(scope, "a/b")))._tag, "AudienceNotFound")
        const gone = audiences.members(scope, "a/b", { limit: 1, cursor: undefined })
        assert.strictEqual((yield* Effect.flip(gone))._tag, "AudienceNotFound")
      }))

    it.effect("who has a matching profile when it is made is a member, with the reason", () =>
      Effect.gen(function*() {
        const { audiences, engineer, members, now, page, scope } = yield* start
        yield* engineer(bob)
        yield* engineer(ada)
        yield* engineer(cy, "Poet")
        yield* audiences.put(scope, "eng", draft(engineers))
        assert.deepStrictEqual(yield* members("eng"), ["ada", "bob"])
        assert.deepStrictEqual((yield* page("eng")).items[0], {
          userId: "ada",
          version: 1,
          added: now,
          reason: "EQ('title', 'Engineer') => true"
        })
      }))

    it.effect("members follow every kind of write of a profile", () =>
      Effect.gen(function*() {
        const { audiences, engineer, members, profiles, scope } = yield* start
        yield* audiences.put(scope, "eng", draft(engineers))
        assert.deepStrictEqual(yield* members("eng"), [])
        yield* engineer(ada)
        yield* profiles.merge(scope, bob, { title: "Engineer" })
        yield* profiles.merge(scope, cy, { title: "Poet" })
        assert.deepStrictEqual(yield* members("eng"), ["ada", "bob"])
        yield* profiles.merge(scope, cy, { title: "Engineer" })
        yield* profiles.patch(scope, bob, [{ op: "replace", path: "/title", value: "Poet" }])
        assert.deepStrictEqual(yield* members("eng"), ["ada", "cy"])
        yield* profiles.remove(scope, ada)
        yield* engineer(cy, "Poet")
        assert.deepStrictEqual(yield* members("eng"), [])
      }))

    it.effect("a profile made on the fly by a send counts too", () =>
      Effect.gen(function*() {
        const { audiences, members, place, scope } = yield* start
        yield* audiences.put(scope, "eng", draft(engineers))
        yield* members("eng")
        const journal = yield* Journal
        const profiles = [{ scope, userId: "fresh", profile: { title: "Engineer" } }]
        yield* journal.accept(Fixture.acceptance(place, [Fixture.message(place)], { profiles }))
        assert.deepStrictEqual(yield* members("eng"), ["fresh"])
      }))

    it.effect("who stays keeps his date; a new version counts everyone anew", () =>
      Effect.gen(function*() {
        const { audiences, engineer, members, now, page, scope } = yield* start
        yield* engineer(ada)
        yield* engineer(bob, "Poet")
        yield* audiences.put(scope, "eng", draft(engineers))
        yield* members("eng")
        yield* TestClock.adjust("1 second")
        yield* audiences.put(scope, "eng", draft({ filters: [{ operator: "EXISTS", path: "title" }] }))
        assert.deepStrictEqual(yield* members("eng"), ["ada", "bob"])
        assert.deepStrictEqual((yield* page("eng")).items.map(({ added, version }) => [added, version]), [
          [now, 2],
          [now + 1_000, 2]
        ])
        yield* audiences.put(scope, "eng", draft(undefined))
        assert.deepStrictEqual(yield* members("eng"), [])
      }))

    it.effect("one that is made again under its id starts without the old one's members", () =>
      Effect.gen(function*() {
        const { audiences, engineer, members, profiles, scope, settled } = yield* start
        yield* engineer(ada)
        yield* audiences.put(scope, "eng", draft(engineers))
        assert.deepStrictEqual(yield* members("eng"), ["ada"])
        yield* audiences.remove(scope, "eng")
        // Nobody is told of this one: the environment has no audience.
        yield* profiles.remove(scope, ada)
        yield* audiences.put(scope, "eng", draft(engineers))
        assert.deepStrictEqual(yield* members("eng"), [])
        yield* audiences.remove(scope, "eng")
        yield* settled
      }))

    it.effect("P10: profiles and audiences of two environments never meet", () =>
      Effect.gen(function*() {
        const here = yield* start
        const there = yield* start
        yield* here.engineer(ada)
        yield* here.audiences.put(here.scope, "eng", draft(engineers))
        yield* there.audiences.put(there.scope, "eng", draft(engineers))
        yield* there.engineer(bob)
        assert.deepStrictEqual([yield* here.members("eng"), yield* there.members("eng")], [["ada"], ["bob"]])
        yield* here.audiences.remove(there.scope, "none")
        yield* there.audiences.remove(there.scope, "eng")
        assert.deepStrictEqual(yield* here.members("eng"), ["ada"])
      }))

    it.effect("audiences of one environment have members of their own", () =>
      Effect.gen(function*() {
        const { audiences, engineer, members, scope } = yield* start
        const doctors = { filters: [{ operator: "EQ" as const, path: "title", value: "Doctor" }] }
        yield* audiences.put(scope, "eng", draft(engineers))
        yield* audiences.put(scope, "doc", draft(doctors))
        yield* engineer(ada)
        yield* engineer(bob, "Doctor")
        assert.deepStrictEqual([yield* members("eng"), yield* members("doc")], [["ada"], ["bob"]])
        yield* audiences.remove(scope, "doc")
        assert.deepStrictEqual(yield* members("eng"), ["ada"])
      }))

    it.effect("MEMBER_OF follows who joins and leaves a tenant", () =>
      Effect.gen(function*() {
        const { audiences, engineer, members, scope } = yield* start
        const memberships = yield* Memberships
        const tenants = yield* Tenants
        const acme = "acme"
        yield* tenants.replace(scope, acme, { name: "Acme" })
        yield* engineer(ada)
        yield* engineer(bob)
        const elsewhere = (yield* start).scope
        yield* tenants.replace(elsewhere, acme, { name: "Acme" })
        yield* memberships.put(elsewhere, bob, [{ tenantId: acme, profile: undefined }])
        yield* memberships.put(scope, ada, [{ tenantId: acme, profile: undefined }])
        const filters = [{ operator: "MEMBER_OF" as const, path: "account_id", value: "acme" }]
        yield* audiences.put(scope, "acme", draft({ filters }))
        assert.deepStrictEqual(yield* members("acme"), ["ada"])
        yield* memberships.put(scope, bob, [{ tenantId: acme, profile: undefined }])
        yield* memberships.put(scope, cy, [{ tenantId: acme, profile: undefined }])
        assert.deepStrictEqual(yield* members("acme"), ["ada", "bob"])
        yield* memberships.remove(scope, ada, acme)
        assert.deepStrictEqual(yield* members("acme"), ["bob"])
        yield* tenants.remove(scope, acme)
        assert.deepStrictEqual(yield* members("acme"), [])
      }))

    it.effect(
      "a count takes more than one page, and what is written meanwhile is right in the end",
      () =>
        Effect.gen(function*() {
          const { audiences, engineer, members, profiles, scope, steps } = yield* start
          const names = Array.from({ length: 1_020 }, (_, n) => UserId.make(`u${String(n).padStart(5, "0")}`))
          yield* Effect.forEach(names, (user) => engineer(user), { concurrency: 50 })
          yield* audiences.put(scope, "eng", draft(engineers))
          yield* steps.advance
          const [first, second, last] = [names[0], names[1], names.at(-1)]
          if (first === undefined || second === undefined || last === undefined) return assert.fail("no names")
          yield* engineer(first, "Poet")
          yield* profiles.remove(scope, second)
          yield* engineer(last, "Poet")
          yield* engineer(UserId.make("a new one"))
          assert.sameMembers([...(yield* members("eng"))], ["a new one", ...names.slice(2, -1)])
        }),
      30_000
    )

    it.effect("walking members and audiences gives each once, while others write", () =>
      Effect.gen(function*() {
        const { audiences, engineer, scope, settled } = yield* start
        const names = Walk.names(40)
        yield* Effect.forEach(names, (name) => engineer(UserId.make(name)))
        yield* audiences.put(scope, "eng", draft(engineers))
        yield* settled
        const write = (n: number) => Effect.andThen(engineer(UserId.make(`${names[n * 7 % 40]}-late`)), settled)
        const pages = (cursor: string | undefined) => audiences.members(scope, "eng", { limit: 7, cursor })
        Walk.once(yield* Walk.all(pages, ({ userId }) => userId, write), names)
        yield* Effect.forEach(names, (name) => audiences.put(scope, name, draft(undefined)))
        const listed = (cursor: string | undefined) => audiences.list(scope, { limit: 7, cursor })
        const more = (n: number) => audiences.put(scope, `${names[n * 7 % 40]}-late`, draft(undefined))
        Walk.once(yield* Walk.all(listed, ({ id }) => id, more), ["eng", ...names])
        const { cursor } = yield* pages(undefined)
        const elsewhere = audiences.members(scope, names[0] ?? "", { limit: 7, cursor })
        assert.strictEqual((yield* Effect.flip(elsewhere))._tag, "InvalidCursor")
      }))

    const Title = Schema.Literals(["Engineer", "Poet"])
    const Write = Schema.Union([
      Schema.Struct({ user: Schema.Literals(["ada", "bob", "cy"]), title: Schema.NullOr(Title) }),
      Schema.Struct({ audience: Title }),
      Schema.Struct({ without: Schema.Literal(true) }),
      Schema.Struct({ step: Schema.Literal(true) })
    ])
    it.effect.prop(
      "whatever is written in whatever order, in the end the members are those that match",
      { writes: Schema.Array(Write).check(Schema.isMaxLength(14)) },
      ({ writes }) =>
        Effect.gen(function*() {
          const { audiences, engineer, members, profiles, scope, settled, steps } = yield* start
          const titles = new Map<string, string>()
          let wanted: string | undefined
          for (const write of writes) {
            if ("step" in write) yield* steps.advance
            else if ("without" in write) {
              wanted = undefined
              yield* audiences.remove(scope, "one")
            } else if ("audience" in write) {
              wanted = write.audience
              yield* audiences.put(
                scope,
                "one",
                draft({ filters: [{ operator: "EQ", path: "title", value: write.audience }] })
              )
            } else if (write.title === null) {
              titles.delete(write.user)
              yield* profiles.remove(scope, UserId.make(write.user))
            } else {
              titles.set(write.user, write.title)
              yield* engineer(UserId.make(write.user), write.title)
            }
          }
          const expected = [...titles].filter(([, title]) => title === wanted).map(([user]) => user)
          if (wanted === undefined) yield* settled
          else assert.sameMembers([...(yield* members("one"))], expected)
        }),
      { arbitrary: { runs: 25 } }
    )

    it.effect("a page ends early where filters are large, and has one at least", () =>
      Effect.gen(function*() {
        const { audiences, scope } = yield* start
        for (const [n, value] of Walk.large.entries()) {
          yield* audiences.put(scope, `a${n}`, draft({ filters: [{ operator: "EQ", path: "title", value }] }))
        }
        yield* Walk.early((page) => audiences.list(scope, page), ({ id }) => id, ["a0", "a1", "a2", "a3"])
      }))
  })
