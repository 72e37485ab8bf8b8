import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const tenant = {
  name: "Acme",
  brand_id: "b1",
  brand: { name: "Own", settings: { colors: { primary: "red" } } },
  properties: { plan: "gold" },
  user_profile: { locale: "de" },
  default_preferences: {
    items: [{ id: "t1", status: "OPTED_OUT", has_custom_routing: true, custom_routing: ["email"] }]
  }
}

const refusal = (message: string) => ({ message, type: "invalid_request_error" })
const list = (url: string, items: ReadonlyArray<unknown>) => ({ type: "list", items, has_more: false, url })

const Page = Schema.Struct({
  items: Schema.Array(Schema.Json),
  has_more: Schema.Boolean,
  cursor: Schema.optionalKey(Schema.String),
  next_url: Schema.optionalKey(Schema.String)
})
const page = Schema.decodeUnknownSync(Page)

const acme = Effect.gen(function*() {
  const server = yield* serve
  yield* server.call("PUT", "/tenants/acme", { body: { name: "Acme" } })
  return server
})

describe("Tenants", () => {
  it.effect("are created, read, replaced whole, listed and deleted", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const path = "/tenants/acme%2Feu%20@1"
      const made = yield* call("PUT", path, { body: { ...tenant, unknown: 1 } })
      assert.deepStrictEqual([made.status, made.body], [200, { id: "acme/eu @1", ...tenant }])
      assert.deepStrictEqual((yield* call("GET", path)).body, made.body)
      assert.deepStrictEqual((yield* call("GET", "/tenants")).body, list("/tenants", [made.body]))
      const bare = { id: "acme/eu @1", name: "Bare" }
      const replaced = yield* call("PUT", path, { body: { name: "Bare", properties: null, brand_id: null } })
      assert.deepStrictEqual([replaced.status, replaced.body], [200, bare])
      for (const _ of [1, 2]) {
        const gone = yield* call("DELETE", path)
        assert.deepStrictEqual([gone.status, gone.text], [204, ""])
      }
      const missing = yield* call("GET", path)
      assert.deepStrictEqual([missing.status, missing.body], [404, refusal("Tenant acme/eu @1 not found")])
    }))

  it.effect("a parent exists and is not below its child; a deleted one leaves its children without", () =>
    Effect.gen(function*() {
      const { call } = yield* acme
      const child = (id: string, parent: string) =>
        call("PUT", `/tenants/${id}`, { body: { name: id, parent_tenant_id: parent } })
      const unknown = yield* child("eu", "none")
      assert.deepStrictEqual([unknown.status, unknown.body], [400, refusal("parent_tenant_id: Tenant none not found")])
      assert.strictEqual((yield* child("eu", "acme")).status, 200)
      const cycle = yield* child("acme", "eu")
      assert.deepStrictEqual(
        [cycle.status, cycle.body],
        [400, refusal("parent_tenant_id: A tenant cannot be below itself: eu")]
      )
      assert.deepStrictEqual(
        (yield* call("GET", "/tenants?parent_tenant_id=acme")).body,
        list("/tenants?parent_tenant_id=acme", [{ id: "eu", name: "eu", parent_tenant_id: "acme" }])
      )
      yield* call("DELETE", "/tenants/acme")
      assert.deepStrictEqual((yield* call("GET", "/tenants/eu")).body, { id: "eu", name: "eu" })
    }))

  it.effect("pages follow their cursor and their next_url", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      for (const id of ["c", "a", "b"]) yield* call("PUT", `/tenants/${id}`, { body: { name: id } })
      const first = page((yield* call("GET", "/tenants?limit=2")).body)
      assert.deepStrictEqual([first.has_more, first.items.length], [true, 2])
      assert.strictEqual(first.next_url, `/tenants?limit=2&cursor=${first.cursor}`)
      const second = page((yield* call("GET", first.next_url ?? "")).body)
      assert.deepStrictEqual(second, { items: [{ id: "c", name: "c" }], has_more: false })
      assert.strictEqual((yield* call("GET", `/tenants/c/users?cursor=${first.cursor}`)).status, 400)
      assert.strictEqual((yield* call("GET", "/tenants?cursor=x")).status, 400)
    }))

  it.effect("next_url asks for the same children, whatever their parent is called", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      yield* call("PUT", "/tenants/who%3F%26", { body: { name: "Who?&" } })
      for (const id of ["a", "b", "c"]) {
        yield* call("PUT", `/tenants/${id}`, { body: { name: id, parent_tenant_id: "who?&" } })
      }
      // A query may hold a question mark as it is (RFC 3986, 3.4).
      for (const parent of ["who?%26", "who%3F%26"]) {
        const first = page((yield* call("GET", `/tenants?parent_tenant_id=${parent}&limit=2`)).body)
        const second = page((yield* call("GET", first.next_url ?? "")).body)
        assert.deepStrictEqual([first.items.length, second.items.length, second.has_more], [2, 1, false])
      }
    }))

  it.effect("the default of a topic is set and removed", () =>
    Effect.gen(function*() {
      const { call } = yield* acme
      const path = "/tenants/acme/default_preferences/items/t%2F1"
      const setting = { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["inbox"] }
      const set = yield* call("PUT", path, { body: setting })
      assert.deepStrictEqual([set.status, set.text], [204, ""])
      assert.deepStrictEqual((yield* call("GET", "/tenants/acme")).body, {
        id: "acme",
        name: "Acme",
        default_preferences: { items: [{ id: "t/1", ...setting }] }
      })
      for (const body of [{}, { status: "MAYBE" }, { status: "OPTED_IN", custom_routing: ["fax"] }]) {
        assert.strictEqual((yield* call("PUT", path, { body })).status, 400)
      }
      const unknown = yield* call("PUT", "/tenants/none/default_preferences/items/t", { body: setting })
      assert.deepStrictEqual([unknown.status, unknown.body], [404, refusal("Tenant none not found")])
      assert.strictEqual((yield* call("DELETE", path)).status, 204)
      assert.strictEqual((yield* call("DELETE", path)).status, 204)
      assert.deepStrictEqual((yield* call("GET", "/tenants/acme")).body, { id: "acme", name: "Acme" })
    }))

  it.effect("users are added to tenants and removed from them", () =>
    Effect.gen(function*() {
      const { call } = yield* acme
      yield* call("PUT", "/tenants/eu", { body: { name: "EU" } })
      const path = "/users/ada@x/tenants"
      const added = yield* call("PUT", path, {
        body: { tenants: [{ tenant_id: "acme", profile: { title: "Dr" }, type: "user" }, { tenant_id: "eu" }] }
      })
      assert.deepStrictEqual([added.status, added.text], [204, ""])
      const inAcme = { tenant_id: "acme", user_id: "ada@x", type: "user", profile: { title: "Dr" } }
      const inEu = { tenant_id: "eu", user_id: "ada@x", type: "user" }
      assert.deepStrictEqual((yield* call("GET", path)).body, list(path, [inAcme, inEu]))
      assert.deepStrictEqual((yield* call("GET", "/tenants/acme/users")).body, list("/tenants/acme/users", [inAcme]))
      assert.deepStrictEqual((yield* call("GET", `${path}/acme`)).body, inAcme)
      yield* call("PUT", path, { body: { tenants: [{ tenant_id: "acme" }] } })
      assert.deepStrictEqual((yield* call("GET", `${path}/acme`)).body, inAcme, "adding again says nothing of it")
      assert.strictEqual((yield* call("PUT", `${path}/acme`, { body: {} })).status, 204)
      assert.deepStrictEqual((yield* call("GET", `${path}/acme`)).body, { ...inEu, tenant_id: "acme" })
      assert.strictEqual((yield* call("DELETE", `${path}/acme`)).status, 204)
      const left = yield* call("GET", `${path}/acme`)
      assert.deepStrictEqual([left.status, left.body], [404, refusal("User ada@x is not in tenant acme")])
      assert.strictEqual((yield* call("DELETE", path)).status, 204)
      assert.deepStrictEqual((yield* call("GET", path)).body, list(path, []))
    }))

  it.effect("an unknown tenant takes no users, and P10: another environment's is unknown", () =>
    Effect.gen(function*() {
      const { call } = yield* acme
      const many = yield* call("PUT", "/users/ada/tenants", {
        body: { tenants: [{ tenant_id: "acme" }, { tenant_id: "none" }] }
      })
      assert.deepStrictEqual([many.status, many.body], [400, refusal("tenants[1].tenant_id: Tenant none not found")])
      assert.deepStrictEqual((yield* call("GET", "/users/ada/tenants")).body, list("/users/ada/tenants", []))
      const one = yield* call("PUT", "/users/ada/tenants/none", { body: { profile: {} } })
      assert.deepStrictEqual([one.status, one.body], [404, refusal("Tenant none not found")])
      for (const path of ["/tenants/acme", "/tenants/acme/users"]) {
        assert.strictEqual((yield* call("GET", path, { key: "pk_test_a" })).status, 404)
      }
      assert.strictEqual((yield* call("PUT", "/users/ada/tenants/acme", { key: "pk_test_a", body: {} })).status, 404)
    }))

  it.effect.each([
    [{}, "name"],
    [{ name: "A", properties: [] }, "properties"],
    [{ name: "A", parent_tenant_id: 1 }, "parent_tenant_id"],
    [{ name: "A", brand: { settings: { colors: 1 } } }, "brand.settings.colors"],
    [{ name: "A", default_preferences: { items: [{ id: "t" }] } }, "default_preferences.items[0].status"]
  ])(
    "%j is 400 and names the field",
    ([body, path]) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        const answer = yield* call("PUT", "/tenants/acme", { body })
        assert.strictEqual(answer.status, 400)
        assert.include(answer.text, `${path}: `)
      })
  )
})
