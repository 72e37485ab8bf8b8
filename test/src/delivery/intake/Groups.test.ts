import type { JsonMap } from "#schemas/Optional.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const filters = ["acme", "beta"].map((value, n) => ({
  operator: "MEMBER_OF",
  path: n === 0 ? "account_id" : "tenant_id",
  value
}))

const groups: ReadonlyArray<readonly [(more: JsonMap) => Recipient, string]> = [
  [(more) => ({ list_id: "l", ...more }), "List"],
  [(more) => ({ list_pattern: "l.*", ...more }), "Pattern"],
  [(more) => ({ audience_id: "a", ...more }), "Audience"],
  [(more) => ({ tenant_id: "t", ...more }), "Tenant"]
]

describe("Groups: whom a recipient stands for", () => {
  it.effect("a person met on a list is that person, and never everybody on it", () =>
    Effect.gen(function*() {
      const people = [{ user_id: "ada" }, { email: "ada@example.com" }, { phone_number: "+4930901820" }]
      for (const person of people) {
        for (const more of [{}, { tenant_id: "acme" }, { account_id: "acme" }]) {
          assert.isUndefined(yield* Groups.of({ list_id: "l", ...person, ...more }), JSON.stringify(person))
        }
        assert.isUndefined(yield* Groups.of({ tenant_id: "acme", ...person }))
      }
    }))

  it.effect("of several groups that are named, the first counts: an audience, a pattern, a list, a tenant", () =>
    Effect.gen(function*() {
      const all: ReadonlyArray<readonly [Recipient, string]> = [
        [{ audience_id: "a" }, "Audience"],
        [{ list_pattern: "l.*" }, "Pattern"],
        [{ list_id: "l" }, "List"],
        [{ tenant_id: "t" }, "Tenant"],
        [{ account_id: "u" }, "Tenant"]
      ]
      for (const [index, [, kind]] of all.entries()) {
        const recipient: Recipient = Object.assign({}, ...all.slice(index).map(([one]) => one))
        assert.strictEqual((yield* Groups.of(recipient))?.source._tag, kind)
      }
      assert.isUndefined(yield* Groups.of({}))
    }))

  it.effect("only members of each tenant that the filters name are meant, whatever the group", () =>
    Effect.gen(function*() {
      for (const [recipient, kind] of groups) {
        const found = yield* Groups.of(recipient({ filters }))
        assert.deepStrictEqual([found?.source._tag, found?.memberOf], [kind, ["acme", "beta"]])
        for (const none of [{}, { filters: null }, { filters: [] }]) {
          assert.deepStrictEqual((yield* Groups.of(recipient(none)))?.memberOf, [], kind)
        }
        for (const odd of ["acme", {}, [{}], [{ ...filters[0], operator: "NOT_MEMBER_OF" }]]) {
          const { path } = yield* Effect.flip(Groups.of(recipient({ filters: odd })))
          assert.strictEqual(path, "filters")
        }
      }
    }))

  it.effect("the tenants below a tenant are meant only if they are asked for", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* Groups.of({ tenant_id: "acme" }))?.source, {
        _tag: "Tenant",
        id: "acme",
        includeChildren: false
      })
      for (const asked of [null, false, "true", 1, true]) {
        const found = yield* Groups.of({ tenant_id: "acme", include_children: asked })
        assert.deepStrictEqual(found?.source, { _tag: "Tenant", id: "acme", includeChildren: asked === true })
      }
    }))
})
