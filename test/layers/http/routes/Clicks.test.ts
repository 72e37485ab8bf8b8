import * as Route from "#layers/http/routes/Clicks.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clicks, clickPath } from "#src/reports/Clicks.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

const page = "https://shop.example/a?b=c#d"

/** The route, whose link `good` leads to the page. */
const served = (clicked: Clicks["Service"]["clicked"]) => {
  const clicks = Layer.mock(Clicks, { targetOf: (id) => id === "good" ? page : undefined, clicked })
  const { dispose, handler } = HttpRouter.toWebHandler(
    Route.layer.pipe(Layer.provide(clicks), Layer.provide(HttpServer.layerServices)),
    { disableLogger: true }
  )
  const ask = async (id: string, method = "GET", headers: Record<string, string> = {}) => {
    const response = await handler(new Request(`http://localhost${clickPath}/${id}`, { method, headers }))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { ask, dispose }
}

describe("GET /t/click/:id", () => {
  it("leads to the page, counts who follows it and not who asks for its headers or may follow it later, and keeps nothing", async () => {
    const clicked: Array<string> = []
    const { ask, dispose } = served((id) => Effect.sync(() => void clicked.push(id)))
    const { headers, status, text } = await ask("good")
    assert.deepStrictEqual([status, headers.get("location"), text], [302, page, ""])
    assert.strictEqual(headers.get("cache-control"), "no-store")
    assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
    assert.strictEqual((await ask("good", "HEAD")).headers.get("location"), page)
    for (const headers of [{ "sec-purpose": "prefetch;prerender" }, { purpose: "prefetch" }, { "x-moz": "prefetch" }])
      assert.strictEqual((await ask("good", "GET", headers)).headers.get("location"), page)
    assert.deepStrictEqual(clicked, ["good"])
    await dispose()
  })

  it("a reader gets to the page also while the store is away", async () => {
    const { ask, dispose } = served(() => Effect.fail(new StoreUnavailable({ cause: "away" })))
    assert.strictEqual((await ask("good")).headers.get("location"), page)
    await dispose()
  })

  it("a forged link leads nowhere, and clicks nothing", async () => {
    const { ask, dispose } = served(() => Effect.die("clicked"))
    const { headers, status, text } = await ask("bad")
    assert.deepStrictEqual([status, headers.get("location")], [404, null])
    assert.include(text, "This link does not work")
    await dispose()
  })
})
