import { type Endpoint, endpoints } from "#test/fuzz/Endpoints.ts"
import { bodies } from "#test/isolation/Bodies.ts"
import { Callers } from "#test/isolation/Callers.ts"
import { filled, known, plain } from "#test/isolation/Comparison.ts"
import * as World from "#test/isolation/World.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"

const asksFor = ({ query }: Endpoint): boolean =>
  query?.ast._tag === "Objects" && query.ast.propertySignatures.some(({ name }) => name === "tenant_id")

/** The routes that speak of one tenant, in their path or in their query. */
const ofTenant = endpoints.filter((endpoint) => endpoint.path.includes("/:tenant_id") || asksFor(endpoint))

const addressOf = (endpoint: Endpoint, ids: World.Ids, tenant: string): string => {
  const path = filled(endpoint.path, (key) => key === "tenants/:tenant_id" ? tenant : ids[key]) ?? ""
  return asksFor(endpoint) ? `${path}?tenant_id=${encodeURIComponent(tenant)}` : path
}

const looks = ofTenant.filter(({ method }) => method === "GET")

/**
 * What is kept in one tenant is nothing to another of the same workspace: a call about the other is answered as it was before the one had
 * anything, and changes nothing in the one.
 */
export const tenants = (it: Vitest.MethodsNonLive<Callers>) => {
  it.effect("there are routes of tenants, in paths and in queries", () =>
    Effect.sync(() => {
      assert.isAbove(ofTenant.filter(asksFor).length, 6)
      assert.isAbove(ofTenant.filter((endpoint) => !asksFor(endpoint)).length, 12)
    }))

  for (const [index, endpoint] of ofTenant.entries()) {
    const { method, path } = endpoint
    it.effect(`another tenant: ${method} ${path}`, () =>
      Effect.gen(function*() {
        const { owner } = yield* Callers
        const marker = `tn${index}nt`
        const { ids, furnish } = yield* World.bare(owner, marker)
        const others = [1, 2].map((n) => `elsewhere-${index}-${n}`)
        for (const id of others) yield* owner({ method: "PUT", path: `/tenants/${id}`, body: { name: "Elsewhere" } })
        const names = known(ids, ...others)
        const body = bodies[`${method} ${path}`]?.(`fresh-${index}`, ids)
        const ask = (tenant: string) =>
          Effect.map(
            owner({ method, path: addressOf(endpoint, ids, tenant), ...(body === undefined ? {} : { body }) }),
            (reply) => plain(reply, names)
          )
        const own = ids["tenants/:tenant_id"] ?? ""
        const [first = "", second = ""] = others
        const without = yield* ask(first)
        yield* furnish
        const state = Effect.forEach(
          looks,
          (look) =>
            Effect.map(owner({ method: "GET", path: addressOf(look, ids, own) }), (reply) => [look.path, reply.body])
        )
        const before = yield* state
        assert.deepStrictEqual(yield* ask(second), without, "as if the other tenant had nothing")
        assert.deepStrictEqual(yield* state, before, "the other tenant's things are as they were")

        // The planted fault: the tenant of the call is not asked for. It must be seen.
        if (isDeepStrictEqual(yield* ask(own), without))
          assert.notDeepEqual(yield* state, before, "a call about the tenant itself is not seen")
      }), 60_000)
  }
}
