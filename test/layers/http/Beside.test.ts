import * as CallbackRoute from "#layers/http/routes/Callbacks.ts"
import * as Opens from "#layers/http/routes/Tracking.ts"
import { Callbacks } from "#src/reports/Callbacks.ts"
import { openPath, Tracking } from "#src/reports/Tracking.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"

/** Routes whose store is silent from one step on. */
const routes = {
  "the picture of an opened mail": {
    path: `${openPath}/one`,
    method: "GET",
    patience: 2_000,
    layer: Opens.layer.pipe(Layer.provide(Layer.mock(Tracking, { opened: () => Effect.never })))
  },
  "a callback whose configuration is looked up": {
    path: "/callbacks/pc_1",
    method: "POST",
    patience: 2_000,
    layer: CallbackRoute.layer.pipe(Layer.provide(Layer.mock(Callbacks, { receiver: () => Effect.never })))
  },
  "a callback that is applied, after the provider was asked for its certificate": {
    path: "/callbacks/pc_1",
    method: "POST",
    patience: 12_000,
    layer: CallbackRoute.layer.pipe(
      Layer.provide(Layer.mock(Callbacks, { receiver: () => Effect.succeed(() => Effect.never) }))
    )
  }
}

describe("P1: routes beside the API, before a database that is silent", () => {
  for (const [name, { layer, method, path, patience }] of Object.entries(routes)) {
    it.effect(`${name}: 503 after ${patience / 1_000} s`, () =>
      Effect.gen(function*() {
        const answer = yield* HttpRouter.toHttpEffect(layer.pipe(Layer.provide(HttpServer.layerServices)))
        const request = HttpServerRequest.fromWeb(new Request(`http://localhost${path}`, { method }))
        const asking = yield* answer.pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          Effect.forkChild({ startImmediately: true })
        )
        yield* TestClock.adjust(patience - 1)
        assert.isUndefined(asking.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.isDefined(asking.pollUnsafe())
        const { headers, status } = yield* Fiber.join(asking)
        assert.strictEqual(status, 503)
        assert.match(headers["retry-after"] ?? "", /^\d+$/)
      }))
  }
})
