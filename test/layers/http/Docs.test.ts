import * as Docs from "#layers/http/Docs.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"

const paths = ["/docs", "/openapi.json"]

describe("the documentation, which anybody may ask for", () => {
  it.effect.each(paths)("%s is sent to all of them from the same memory", (path) =>
    Effect.gen(function*() {
      const answer = yield* HttpRouter.toHttpEffect(Docs.layer.pipe(Layer.provide(HttpServer.layerServices)))
      const asked = Effect.gen(function*() {
        const request = HttpServerRequest.fromWeb(new Request(`http://localhost${path}`))
        const { body, status } = yield* Effect.provideService(answer, HttpServerRequest.HttpServerRequest, request)
        assert.strictEqual(status, 200)
        // Node sends text, if there is some, and copies it for each answer.
        if (body._tag !== "Uint8Array" || body.text !== undefined) return assert.fail(`${body._tag}, of text`)
        return body.body
      })
      const bytes = yield* asked
      assert.isAbove(bytes.length, 10_000)
      assert.strictEqual(yield* asked, bytes)
    }).pipe(Effect.scoped))
})
