import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import { Lists } from "#src/people/Lists.ts"
import { type Member, Members, type Source } from "#src/people/Members.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

/** A workspace: lists a.one, a.two, a.b.deep and z; tenants acme > lab > cellar and other; an audience of engineers. */
const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const lists = yield* Lists
  const members = yield* Members
  const subscribe = (id: string, users: ReadonlyArray<string>) =>
    lists.subscribe(
      scope,
      ListId.make(id),
      users.map((user) => ({ userId: UserId.make(user), preferences: undefined }))
    )
  yield* subscribe("a.one", ["ada", "bob", "Zed", "éva", "c@x.example"])
  yield* subscribe("a.two", ["bob", "dan"])
  yield* subscribe("a.b.deep", ["ada", "eve"])
  yield* subscribe("z", ["zoe"])
  const tenants = yield* Tenants
  yield* tenants.replace(scope, "acme", { name: "acme" })
  yield* tenants.replace(scope, "lab", { name: "lab", parent_tenant_id: "acme" })
  yield* tenants.replace(scope, "cellar", { name: "cellar", parent_tenant_id: "lab" })
  yield* tenants.replace(scope, "other", { name: "other" })
  const memberships = yield* Memberships
  const join = (userId: string, ...ids: ReadonlyArray<string>) =>
    memberships.put(scope, userId, ids.map((tenantId) => ({ tenantId, profile: undefined })))
  yield* join("ada", "acme", "cellar")
  yield* join("bob", "lab")
  yield* join("cy", "cellar", "other")

  /** Walks to the end in pages of `limit`. */
  const walk = Effect.fnUntraced(function*(source: Source, limit = 2, memberOf: ReadonlyArray<string> = []) {
    const found: Array<Member> = []
    while (true) {
      const last = found.at(-1)
      const after = last === undefined ? undefined : { group: last.group, userId: last.userId }
      const page = yield* members.page(scope, source, { after, limit, memberOf })
      assert.isAtMost(page.length, limit)
      found.push(...page)
      if (page.length < limit) return found
    }
  })
  return { scope, lists, walk, memberships, tenants }
})

const users = (members: ReadonlyArray<Member>) => members.map(({ userId }) => userId)
const pattern = (text: string) =>
  Effect.map(ListPattern.parse(text), (parsed): Source => ({ _tag: "Pattern", pattern: parsed }))

type Stores = Audiences | AudienceSteps | Lists | Members | Memberships | Profiles | Tenants

/** What every reader of groups promises. */
export const membersContract = <E>(name: string, stores: Layer.Layer<Stores, E>) =>
  layer(stores)(`Members: ${name}`, (it) => {
    it.effect.each([1, 2, 3, 100])(
      "a list's members come in the order of their ids, in pages of %d",
      (limit) =>
        Effect.gen(function*() {
          const { walk } = yield* start
          const found = yield* walk({ _tag: "List", id: "a.one" }, limit)
          assert.deepStrictEqual(users(found), ["Zed", "ada", "bob", "c@x.example", "éva"])
          assert.deepStrictEqual([...new Set(found.map(({ listId }) => listId))], ["a.one"])
        })
    )

    it.effect("members come in the order of their characters, also of those beyond the basic plane", () =>
      Effect.gen(function*() {
        const { lists, scope, walk } = yield* start
        const ids = ["~", "é", "\uffee", "\u{1f984}"]
        const subscriptions = ids.toReversed().map((id) => ({ userId: UserId.make(id), preferences: undefined }))
        yield* lists.subscribe(scope, ListId.make("odd"), subscriptions)
        assert.deepStrictEqual(users(yield* walk({ _tag: "List", id: "odd" }, 1)), ids)
        for (const id of ids) yield* lists.subscribe(scope, ListId.make(`o.${id}`), subscriptions.slice(0, 1))
        const found = yield* walk(yield* pattern("o.*"), 1)
        assert.deepStrictEqual(found.map(({ listId }) => listId), ids.map((id) => `o.${id}`))
      }))

    it.effect("a deleted list, one that never was, and another environment's have no members (P10)", () =>
      Effect.gen(function*() {
        const { lists, scope, walk } = yield* start
        yield* lists.remove(scope, "z")
        assert.deepStrictEqual(yield* walk({ _tag: "List", id: "z" }), [])
        assert.deepStrictEqual(yield* walk({ _tag: "List", id: "none" }), [])
        const elsewhere = (yield* Fixture.world).scope
        const source = { _tag: "List", id: "a.one" } as const
        const page = yield* (yield* Members).page(elsewhere, source, { after: undefined, limit: 9, memberOf: [] })
        assert.deepStrictEqual(page, [])
      }))

    it.effect.each([1, 2, 3, 100])(
      "a pattern's members come list by list, in pages of %d",
      (limit) =>
        Effect.gen(function*() {
          const { lists, scope, walk } = yield* start
          const of = (text: string) =>
            Effect.flatMap(pattern(text), (source) =>
              Effect.map(walk(source, limit), (found) =>
                found.map(({ listId, userId }) => `${listId} ${userId}`)))
          const [one, two] = [
            ["Zed", "ada", "bob", "c@x.example", "éva"].map((id) =>
              `a.one ${id}`
            ),
            [
              "a.two bob",
              "a.two dan"
            ]
          ]
          assert.deepStrictEqual(yield* of("a.*"), [...one, ...two])
          assert.deepStrictEqual(yield* of("a.**"), ["a.b.deep ada", "a.b.deep eve", ...one, ...two])
          assert.deepStrictEqual(yield* of("a.two"), two)
          yield* lists.remove(scope, "a.one")
          assert.deepStrictEqual(yield* of("a.*"), two)
        })
    )

    it.effect.each([1, 2, 100])(
      "a tenant's members, and with its children those below, in pages of %d",
      (limit) =>
        Effect.gen(function*() {
          const { walk } = yield* start
          const of = (id: string, includeChildren: boolean) =>
            Effect.map(
              walk({ _tag: "Tenant", id, includeChildren }, limit),
              (found) => found.map(({ tenantId, userId }) => `${tenantId} ${userId}`)
            )
          assert.deepStrictEqual(yield* of("acme", false), ["acme ada"])
          assert.deepStrictEqual(yield* of("acme", true), ["acme ada", "cellar ada", "cellar cy", "lab bob"])
          assert.deepStrictEqual(yield* of("lab", true), ["lab bob", "cellar ada", "cellar cy"])
          assert.deepStrictEqual(yield* of("none", true), [])
        })
    )

    it.effect("MEMBER_OF leaves those who are in every tenant named", () =>
      Effect.gen(function*() {
        const { walk } = yield* start
        const of = (source: Source, ...tenants: ReadonlyArray<string>) => Effect.map(walk(source, 1, tenants), users)
        const list: Source = { _tag: "List", id: "a.one" }
        assert.deepStrictEqual(yield* of(list, "acme"), ["ada"])
        assert.deepStrictEqual(yield* of(list, "lab"), ["bob"])
        assert.deepStrictEqual(yield* of(list, "acme", "cellar"), ["ada"])
        assert.deepStrictEqual(yield* of(list, "acme", "lab"), [])
        assert.deepStrictEqual(yield* of(yield* pattern("a.*"), "lab"), ["bob", "bob"])
      }))

    it.effect("P10: who is in a tenant elsewhere, and what is below one there, is nobody's member here", () =>
      Effect.gen(function*() {
        const here = yield* start
        const there = yield* start
        yield* there.memberships.put(there.scope, "dan", [{ tenantId: "acme", profile: undefined }])
        yield* there.tenants.replace(there.scope, "other", { name: "other", parent_tenant_id: "acme" })
        assert.deepStrictEqual(yield* here.walk({ _tag: "List", id: "a.two" }, 2, ["acme"]), [])
        const family = { _tag: "Tenant", id: "acme", includeChildren: true } as const
        const of = Effect.map((found: ReadonlyArray<Member>) => found.map(({ tenantId }) => tenantId))
        assert.deepStrictEqual(yield* of(here.walk(family)), ["acme", "cellar", "cellar", "lab"])
        assert.deepStrictEqual(yield* of(there.walk(family)), ["acme", "acme", "cellar", "cellar", "lab", "other"])
      }))

    it.effect("who was in a tenant that is gone is nobody's member by it, also when there is one of its id again", () =>
      Effect.gen(function*() {
        const { memberships, scope, walk } = yield* start
        const tenants = yield* Tenants
        const seen = Effect.gen(function*() {
          const ofTenant = (id: string, includeChildren: boolean) => walk({ _tag: "Tenant", id, includeChildren })
          const [alone, below, acme, inLab] = [
            yield* ofTenant("lab", false),
            yield* ofTenant("lab", true),
            yield* ofTenant("acme", true),
            yield* walk({ _tag: "List", id: "a.one" }, 2, ["lab"])
          ]
          return { alone: users(alone), below: users(below), acme: users(acme), inLab: users(inLab) }
        })
        yield* tenants.remove(scope, "lab")
        assert.deepStrictEqual(yield* seen, { alone: [], below: [], acme: ["ada"], inLab: [] })
        yield* tenants.replace(scope, "lab", { name: "lab", parent_tenant_id: "acme" })
        assert.deepStrictEqual(yield* seen, { alone: [], below: [], acme: ["ada"], inLab: [] })
        yield* memberships.put(scope, "Zed", [{ tenantId: "lab", profile: undefined }])
        assert.deepStrictEqual(yield* seen, { alone: ["Zed"], below: ["Zed"], acme: ["ada", "Zed"], inLab: ["Zed"] })
      }))

    it.effect("tells a group that has no members from one that does not exist (P10)", () =>
      Effect.gen(function*() {
        const { lists, scope } = yield* start
        const [audiences, members] = [yield* Audiences, yield* Members]
        yield* lists.put(scope, ListId.make("empty"), { name: "empty", preferences: undefined })
        yield* audiences.put(scope, "empty", { name: "n", description: "", filter: undefined, operator: undefined })
        yield* (yield* Tenants).replace(scope, "empty", { name: "empty" })
        yield* lists.remove(scope, ListId.make("z"))
        const elsewhere = (yield* Fixture.world).scope
        for (const _tag of ["List", "Audience", "Tenant"] as const) {
          const of = (id: string): Source => _tag === "Tenant" ? { _tag, id, includeChildren: true } : { _tag, id }
          assert.deepStrictEqual(
            [
              yield* members.exists(scope, of("empty")),
              yield* members.exists(scope, of("none")),
              yield* members.exists(elsewhere, of("empty"))
            ],
            [true, false, false],
            _tag
          )
        }
        assert.isFalse(yield* members.exists(scope, { _tag: "List", id: "z" }))
        assert.isTrue(yield* members.exists(scope, yield* pattern("none.*")))
      }))

    it.effect("an audience's members are those that it has now", () =>
      Effect.gen(function*() {
        const { scope, walk } = yield* start
        const [audiences, profiles, steps] = [yield* Audiences, yield* Profiles, yield* AudienceSteps]
        const filter = { filters: [{ operator: "EQ", path: "title", value: "Engineer" }] } as const
        yield* audiences.put(scope, "staff", { name: "n", description: "", filter, operator: undefined })
        for (const id of ["ada", "bob", "cy"]) yield* profiles.replace(scope, UserId.make(id), { title: "Engineer" })
        yield* steps.advance.pipe(Effect.repeat({ while: (more) => more }))
        const source: Source = { _tag: "Audience", id: "staff" }
        assert.deepStrictEqual(users(yield* walk(source)), ["ada", "bob", "cy"])
        assert.deepStrictEqual(users(yield* walk(source, 2, ["cellar"])), ["ada", "cy"])
        assert.deepStrictEqual(yield* walk({ _tag: "Audience", id: "none" }), [])
        const elsewhere = (yield* Fixture.world).scope
        yield* audiences.put(elsewhere, "staff", { name: "n", description: "", filter, operator: undefined })
        yield* profiles.replace(elsewhere, UserId.make("dan"), { title: "Engineer" })
        yield* steps.advance.pipe(Effect.repeat({ while: (more) => more }))
        assert.deepStrictEqual(users(yield* walk(source)), ["ada", "bob", "cy"], "P10")
        yield* audiences.put(scope, "others", { name: "n", description: "", filter: undefined, operator: undefined })
        yield* audiences.remove(scope, "staff")
        assert.deepStrictEqual(yield* walk(source), [], "its members go later, and are nobody's meanwhile")
      }))

    it.effect("an audience that is new or changed has no members that anybody knows until they are counted, and then those of its filter", () =>
      Effect.gen(function*() {
        const { scope, walk } = yield* start
        const [audiences, profiles, steps] = [yield* Audiences, yield* Profiles, yield* AudienceSteps]
        const counted = steps.advance.pipe(Effect.repeat({ while: (more) => more }))
        const put = (title: string) =>
          audiences.put(scope, "staff", {
            name: "n",
            description: "",
            filter: { filters: [{ operator: "EQ", path: "title", value: title }] },
            operator: undefined
          })
        const source: Source = { _tag: "Audience", id: "staff" }
        yield* profiles.replace(scope, UserId.make("ada"), { title: "Engineer" })
        yield* profiles.replace(scope, UserId.make("bob"), { title: "Poet" })
        yield* put("Engineer")
        assert.strictEqual((yield* Effect.flip(walk(source)))._tag, "MembersUncounted")
        assert.deepStrictEqual(yield* walk({ _tag: "Audience", id: "none" }), [], "another one is not waited for")
        yield* counted
        assert.deepStrictEqual(users(yield* walk(source)), ["ada"])
        yield* put("Poet")
        assert.strictEqual((yield* Effect.flip(walk(source)))._tag, "MembersUncounted")
        yield* counted
        assert.deepStrictEqual(users(yield* walk(source)), ["bob"])
        yield* audiences.remove(scope, "staff")
        yield* put("Engineer")
        assert.strictEqual((yield* Effect.flip(walk(source)))._tag, "MembersUncounted", "one that was made again")
        yield* counted
        assert.deepStrictEqual(users(yield* walk(source)), ["ada"])
      }))
  })
