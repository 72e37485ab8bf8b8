import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Place } from "#src/delivery/Expansion.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Paging from "#src/delivery/expansion/Paging.ts"
import type { Members } from "#src/people/Members.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const members: Members["Service"] = {
  exists: () => Effect.succeed(true),
  page: () => Effect.succeed([{ group: "", userId: "ada", listId: "l" }])
}

const id = MessageId.make("1-67890abc-0123456789abcdef01234567")

/** The ids of a page of these users, from a place on. */
const idsOf = (users: ReadonlyArray<string>, place = 0) => {
  const idAt = Ids.inPage(id, users)
  return users.map((_, n) => idAt(place + n))
}

const pageOf = (
  recipients: ReadonlyArray<unknown>,
  among = members,
  place: Place = { index: 0 },
  size = Paging.pageSize,
  at = 0
) => {
  const request = { id, scope: Scope.make(1), keyState: "published", instructions: {}, acceptedAt: 0 } as const
  return Paging.next({ request, recipients, place, at, shards: 4, size, members: among })
}

/** Lists with their members, as a store tells of them page by page. */
const storing = (lists: ReadonlyMap<string, ReadonlyArray<string>>): Members["Service"] => ({
  exists: (_, source) => Effect.succeed(source._tag === "List" && lists.has(source.id)),
  page: (_, source, { after, limit }) => {
    const named = source._tag === "List" ? [source.id] : [...lists.keys()]
    const all = named.flatMap((list) =>
      (lists.get(list) ?? []).map((userId) => ({ group: source._tag === "List" ? "" : list, userId, listId: list }))
    )
    const from = after === undefined
      ? 0
      : all.findIndex(({ group, userId }) => group === after.group && userId === after.userId) + 1
    return Effect.succeed(all.slice(from, from + limit))
  }
})

/** All pages of a request, of at most so many messages, and whose they are. */
const walk = Effect.fnUntraced(function*(recipients: ReadonlyArray<unknown>, among: Members["Service"], size: number) {
  const pages: Array<ReadonlyArray<string>> = []
  const keys = new Map<string, string>()
  let place: Place = { index: 0 }
  while (pages.length < 100) {
    const { isLast, page, reached } = yield* pageOf(recipients, among, place, size)
    pages.push(page.members.map(({ id }) => id))
    for (const { id, recipientKey } of page.members) keys.set(id, recipientKey)
    place = reached
    if (isLast) return { pages, keys: [...keys.values()], fault: place.fault }
  }
  return assert.fail("it does not end")
})

const Recipients = Schema.Array(Schema.Union([
  Schema.Struct({ user_id: Schema.Literals(["a", "b", "z"]) }),
  Schema.Struct({ list_id: Schema.Literals(["lists.one", "lists.two", "gone"]) }),
  Schema.Struct({ list_pattern: Schema.Literal("lists.*") }),
  Schema.Struct({ data: Schema.Struct({}) })
])).check(Schema.isMaxLength(6))

const Users = Schema.UniqueArray(Schema.Literals(["a", "b", "c", "d", "e"]))

describe("Pages of a request to many", () => {
  it.effect.prop("P1: whatever the pages hold, each recipient has its one message, in the order of the request", {
    recipients: Recipients,
    one: Users,
    two: Users,
    size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))
  }, ({ one, recipients, size, two }) =>
    Effect.gen(function*() {
      const lists = new Map([["lists.one", one], ["lists.two", two]])
      const whole = yield* walk(recipients, storing(lists), Paging.pageSize)
      const cut = yield* walk(recipients, storing(lists), size)
      assert.deepStrictEqual(cut.keys, whole.keys)
      assert.strictEqual(cut.fault, whole.fault)
      assert.isTrue(cut.pages.every((page) => page.length <= size))
      const met = recipients.flatMap((recipient): ReadonlyArray<string> => {
        if ("user_id" in recipient) return [recipient.user_id]
        if ("list_pattern" in recipient) return [...one, ...two]
        return "list_id" in recipient ? lists.get(recipient.list_id) ?? [recipient.list_id] : []
      })
      assert.strictEqual(whole.pages.flat().length, new Set(met).size)
    }))

  it.effect("the messages of one list, audience or tenant are numbered through all pages; who may be met twice is told by the recipient", () =>
    Effect.gen(function*() {
      const users = ["a", "b", "c", "d", "e"]
      const lists = new Map([["lists.one", users], ["lists.two", users]])
      const all: Members["Service"] = {
        exists: () => Effect.succeed(true),
        page: (scope, _, options) => storing(lists).page(scope, { _tag: "List", id: "lists.one" }, options)
      }
      const expected = [["a", "b"], ["c", "d"], ["e"]].flatMap((page, n) => idsOf(page, 2 * n))
      const once = [{ list_id: "lists.one" }, { audience_id: "a" }, { tenant_id: "t" }]
      for (const group of once) {
        assert.deepStrictEqual((yield* walk([group], all, 2)).pages.flat(), expected)
      }
      const often = [
        [{ list_pattern: "lists.*" }],
        [{ tenant_id: "t", include_children: true }],
        [{ list_id: "lists.one" }, { user_id: "a" }]
      ]
      for (const recipients of often) {
        const { pages } = yield* walk(recipients, all, 2)
        assert.deepStrictEqual([...new Set(pages.flat())], users.map((user) => Ids.member(id, `1:user:${user}`)))
      }
    }))

  it.effect("P1: where an earlier version makes a page in between, which leaves no number, everybody has a message of its own", () =>
    Effect.gen(function*() {
      const users = ["a", "b", "c", "d", "e", "f"]
      const lists = storing(new Map([["l", users]]))
      const page = (place: Place) => pageOf([{ list_id: "l" }], lists, place, 2)
      const first = yield* page({ index: 0 })
      // The earlier version's own page, with ids by recipient, and the place as it leaves it.
      const { made: _, ...left } = first.reached
      const second = yield* page(left)
      const third = yield* page(second.reached)
      const ids = [first, second, third].flatMap(({ page }) => page.members.map(({ id }) => id))
      const byRecipient = users.slice(2).map((user) => Ids.member(id, `1:user:${user}`))
      assert.deepStrictEqual(ids, [...idsOf(["a", "b"]), ...byRecipient])
    }))

  it.effect("P1: a page that is made again has the same ids, and none of them if its members have changed", () =>
    Effect.gen(function*() {
      const made = Effect.fnUntraced(function*(users: ReadonlyArray<string>, size?: number) {
        const { page } = yield* pageOf([{ list_id: "l" }], storing(new Map([["l", users]])), { index: 0 }, size)
        return page.members.map(({ id }) => id)
      })
      const first = yield* made(["a", "b", "c"])
      assert.deepStrictEqual(yield* made(["a", "b", "c"]), first)
      const others = [yield* made(["b", "c", "d"]), yield* made(["a", "b"]), yield* made(["a", "b", "c"], 2)]
      for (const other of others) assert.isTrue(new Set(first).isDisjointFrom(new Set(other)))
    }))

  it.effect("many small groups are several pages, and of many that are not there the first are told of", () =>
    Effect.gen(function*() {
      const named = Array.from({ length: 45 }, (_, n) => `${"long ".repeat(20)}${n}`)
      const groups = named.map((list) => ({ list_id: list }))
      const there = yield* walk(groups, storing(new Map(named.map((list) => [list, [list]]))), 1_000)
      assert.deepStrictEqual(there.pages.map((page) => page.length), [20, 20, 5])
      const { fault = "" } = yield* walk(groups, storing(new Map()), 1_000)
      assert.include(fault, `The list ${"long ".repeat(20)}0 does not exist`)
      assert.isBelow(fault.length, 2_000)
    }))

  it.effect("who is met twice is one message and one profile, as first named", () =>
    Effect.gen(function*() {
      const first = { user_id: "bob", email: "first@example.com" }
      const { page } = yield* pageOf([first, { user_id: "bob", email: "second@example.com" }])
      assert.deepStrictEqual(page.members.map(({ recipient }) => recipient), [first])
      assert.deepStrictEqual(page.profiles.map(({ profile }) => profile), [{ email: "first@example.com" }])
    }))

  it.effect("groups that are not there, and one that is deleted on the way, are told of until the end", () =>
    Effect.gen(function*() {
      const gone: Members["Service"] = { exists: () => Effect.succeed(false), page: () => Effect.succeed([]) }
      const first = yield* pageOf([{ list_id: "a" }, { tenant_id: "b" }], gone)
      assert.strictEqual(first.reached.fault, "The list a does not exist; The tenant b does not exist")
      assert.deepStrictEqual(first.page.members.map(({ recipient }) => recipient), [{ list_id: "a" }, {
        tenant_id: "b"
      }])
      const onTheWay = { index: 0, after: { group: "", userId: "m" } }
      const cut = yield* pageOf([{ audience_id: "c" }], gone, onTheWay)
      assert.strictEqual(cut.reached.fault, "The audience c was deleted before its last member had a message")
      assert.deepStrictEqual(cut.page.members, [])
      const { reached } = yield* pageOf([{ user_id: "ada" }], members, { index: 0, fault: "before" })
      assert.strictEqual(reached.fault, "before")
      const over = { exists: () => Effect.succeed(true), page: gone.page }
      assert.deepStrictEqual((yield* pageOf([{ list_id: "a" }], over, onTheWay)).reached, { index: 1 })
    }))

  it.effect("the first page of an audience waits for what was written before the request, for two seconds at most by any clock", () =>
    Effect.gen(function*() {
      const asked: Array<boolean | undefined> = []
      const among: Members["Service"] = {
        ...members,
        page: (_scope, _source, { latest }) => Effect.as(Effect.sync(() => asked.push(latest)), [])
      }
      const later = { index: 0, after: { group: "", userId: "m" } }
      for (
        const [place, at] of [
          [{ index: 0 }, 0],
          [{ index: 0 }, 1_999],
          [{ index: 0 }, 2_000],
          // It was set back since, or was ahead where the request was accepted.
          [{ index: 0 }, -1_999],
          [{ index: 0 }, -2_000],
          [later, 0]
        ] as const
      ) {
        yield* pageOf([{ audience_id: "staff" }], among, place, 9, at)
      }
      assert.deepStrictEqual(asked, [true, true, false, true, false, false])
    }))

  it.effect("what a group is told, and in which tenant, goes with each member; one of a tenant is told in that one", () =>
    Effect.gen(function*() {
      const data = { n: 1 }
      const told = Effect.fnUntraced(function*(group: object, own?: string) {
        const page = () => Effect.succeed([{ group: "", userId: "ada", listId: "l", tenantId: own }])
        const { page: { members: [member] } } = yield* pageOf([{ list_id: "l", data, ...group }], { ...members, page })
        return [member?.recipient, member?.tenantId]
      })
      const ada = { user_id: "ada", list_id: "l", data }
      const named = [{ tenant_id: "a" }, { account_id: "b" }, { context: { tenant_id: "c" } }]
      for (const [index, tenant] of ["a", "b", "c"].entries()) {
        const group = Object.assign({}, ...named.slice(index))
        assert.deepStrictEqual(yield* told(group), [{ ...ada, tenant_id: tenant }, tenant])
        assert.deepStrictEqual(yield* told(group, "own"), [{ ...ada, tenant_id: "own" }, "own"])
      }
      assert.deepStrictEqual(yield* told({}), [ada, undefined])
    }))

  it("the more a request says, the fewer of its messages are one commit", () => {
    const sizes = [100, 16_000, 1_000_000, 30_000_000].map((length) => Paging.sizeOf("x".repeat(length), 1_000))
    assert.deepStrictEqual(sizes, [1_000, 1_000, 16, 1])
  })

  it.effect("of the recipients only those of the page are read", () =>
    Effect.gen(function*() {
      const users = Array.from({ length: Paging.pageSize }, (_, n) => ({ user_id: `u${n}` }))
      const strange = [...users, { user_id: 5 }]
      const { isLast, page, reached } = yield* pageOf(strange)
      assert.deepStrictEqual([page.members.length, reached, isLast], [
        Paging.pageSize,
        { index: Paging.pageSize },
        false
      ])
      assert.strictEqual((yield* Effect.flip(pageOf(strange, members, reached)))._tag, "SchemaError")
    }))

  it.effect("a member who is also named by itself is one message of the group, and has a profile", () =>
    Effect.gen(function*() {
      const { page } = yield* pageOf([{ list_id: "l" }, { user_id: "ada", email: "ada@example.com" }])
      assert.deepStrictEqual(page.members.map(({ recipient }) => recipient), [{ user_id: "ada", list_id: "l" }])
      assert.deepStrictEqual(page.profiles.map(({ profile }) => profile), [{ email: "ada@example.com" }])
    }))
})
