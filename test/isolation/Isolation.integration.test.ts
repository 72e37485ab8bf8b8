import { endpoints } from "#test/fuzz/Endpoints.ts"
import { bodies } from "#test/isolation/Bodies.ts"
import * as Callers from "#test/isolation/Callers.ts"
import type { Client } from "#test/isolation/Client.ts"
import { filled, known, nobodys, plain } from "#test/isolation/Comparison.ts"
import { tenants } from "#test/isolation/Tenants.ts"
import * as World from "#test/isolation/World.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"

/** Singles and lists of the owner, which nothing foreign may change. */
const looks = endpoints.filter(({ method }) => method === "GET")

layer(Callers.layer, { timeout: 60_000, excludeTestServices: true })(
  "P10: what one caller owns does not exist for another",
  (it) => {
    it.effect("every endpoint with a body has one here", () =>
      Effect.sync(() => {
        const wanted = endpoints.filter(({ payloads }) => payloads.length > 0).map(({ method, path }) =>
          `${method} ${path}`
        )
        assert.sameMembers(Object.keys(bodies), wanted)
      }))

    for (const [index, { method, path }] of endpoints.entries()) {
      it.effect(`${method} ${path}`, () =>
        Effect.gen(function*() {
          const { foreign, owner } = yield* Callers.Callers
          const marker = `mk${index}mk`
          const ids = yield* World.make(owner, marker)
          const own = filled(path, (key) => ids[key])
          assert.isDefined(own, "a route whose parameter no world has")
          const unknown = filled(path, (key) => ids[key] === undefined ? undefined : nobodys(ids[key])) ?? ""
          const body = bodies[`${method} ${path}`]?.(`fresh-${index}`, ids)
          // A route without ids has nothing foreign to change.
          const state = Effect.forEach(path.includes(":") ? looks : [], (look) =>
            Effect.map(
              owner({ method: "GET", path: filled(look.path, (key) => ids[key]) ?? "" }),
              ({ body, status }) => `${look.path} ${status} ${body}`
            ))
          const names = known(ids, "nobody", marker, nobodys(marker))

          const before = yield* state

          /** What the owner's world is for a caller of this endpoint; empty where it does not exist. */
          const faults = Effect.fnUntraced(function*(who: string, call: Client) {
            const ask = (target: string) =>
              call({
                method,
                path: target,
                ...(body === undefined ? {} : { body }),
                ...(method === "POST" ? { idempotencyKey: `key-${who}-${index}`.replaceAll(" ", "-") } : {})
              })
            if (unknown === own) {
              const { body: text } = yield* ask(unknown)
              return text.includes(marker) ? [`it names what is another's: ${text}`] : []
            }
            const asUnknown = yield* ask(unknown)
            const answered = yield* ask(own ?? "")
            assert.isBelow(answered.status, 500, answered.body)
            return isDeepStrictEqual(plain(answered, names), plain(asUnknown, names))
              ? []
              : [`${answered.status} ${answered.body} is not ${asUnknown.status} ${asUnknown.body}`]
          })

          for (const [who, call] of Object.entries(foreign)) assert.deepStrictEqual(yield* faults(who, call), [], who)
          assert.deepStrictEqual(yield* state, before, "the owner's things are as they were")

          // The planted fault: a caller whom nothing keeps out, as if the route named no scope. It must be seen.
          if (unknown === own) return
          const seen = yield* faults("the owner", owner)
          if (seen.length === 0) assert.notDeepEqual(yield* state, before, "the owner's own call is not seen")
        }), 60_000)
    }

    tenants(it)
  }
)
