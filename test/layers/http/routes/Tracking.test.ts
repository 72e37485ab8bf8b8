import * as Opens from "#layers/http/routes/Tracking.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { openPath, Tracking } from "#src/reports/Tracking.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

/** The route over a tracking that takes openings so. */
const served = (opened: Tracking["Service"]["opened"]) =>
  HttpRouter.toWebHandler(
    Opens.layer.pipe(Layer.provide(Layer.mock(Tracking, { opened })), Layer.provide(HttpServer.layerServices)),
    { disableLogger: true }
  )

describe("GET /t/open/:id", () => {
  it("a picture that a mail client kept would hide who looks again: it may keep none", async () => {
    const { dispose, handler } = served(() => Effect.void)
    const { headers } = await handler(new Request(`http://localhost${openPath}/one`))
    assert.strictEqual(headers.get("cache-control"), "no-store")
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    await dispose()
  })

  it("an opening that could not be written down is not answered with the picture", async () => {
    const { dispose, handler } = served(() => Effect.fail(new StoreUnavailable({ cause: "away" })))
    const { headers, status } = await handler(new Request(`http://localhost${openPath}/one`))
    assert.strictEqual(status, 503)
    assert.match(headers.get("retry-after") ?? "", /^\d+$/)
    await dispose()
  })

  it("counts who sees the picture, and not who asks for its headers", async () => {
    const opened: Array<string> = []
    const { dispose, handler } = served((id) => Effect.sync(() => void opened.push(id)))
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
