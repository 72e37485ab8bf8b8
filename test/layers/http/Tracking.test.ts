import * as Opens from "#layers/http/Tracking.ts"
import { openPath, Tracking } from "#src/reports/Tracking.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

describe("GET /t/open/:id", () => {
  it("counts who sees the picture, and not who asks for its headers", async () => {
    const opened: Array<string> = []
    const tracking = Layer.mock(Tracking, { opened: (id) => Effect.sync(() => void opened.push(id)) })
    const routes = Opens.layer.pipe(Layer.provide(tracking), Layer.provide(HttpServer.layerServices))
    const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
    const ask = async (method: string, id: string) => {
      const response = await handler(new Request(`http://localhost${openPath}/${id}`, { method }))
      await response.arrayBuffer()
      return [response.status, response.headers.get("content-type")]
    }
    assert.deepStrictEqual(await ask("HEAD", "one"), [200, "image/gif"])
    assert.deepStrictEqual(await ask("GET", "two"), [200, "image/gif"])
    assert.deepStrictEqual(opened, ["two"])
    await dispose()
  })
})
