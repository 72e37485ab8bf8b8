import * as ClusterRoute from "#layers/http/routes/Clusters.ts"
import { ApiKeys, InvalidKey } from "#src/access/ApiKeys.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

describe("GET /cluster", () => {
  it.effect("whoever has no key of ours is 401, and told how to show one, as on every other route", () =>
    Effect.gen(function*() {
      const routes = yield* HttpRouter.toHttpEffect(ClusterRoute.layer).pipe(
        Effect.provide([
          Layer.mock(Clusters, {}),
          Layer.mock(ApiKeys, { authenticate: () => Effect.fail(new InvalidKey()) })
        ])
      )
      for (const headers of [{}, { authorization: "Bearer pk_prod_b" }]) {
        const request = HttpServerRequest.fromWeb(new Request("http://localhost/cluster", { headers }))
        const answer = yield* Effect.provideService(routes, HttpServerRequest.HttpServerRequest, request)
        const { headers: told, status } = HttpServerResponse.toWeb(answer)
        assert.strictEqual(status, 401)
        assert.include(told.get("www-authenticate") ?? "", "Bearer")
      }
    }))
})
