import * as Door from "#layers/http/Door.ts"
import { Admission } from "#src/access/Admission.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

/** A send whose body says whether it was asked for. */
const send = (url: string) => {
  const seen = { read: false }
  const body = new ReadableStream({
    pull: (controller) => {
      seen.read = true
      controller.close()
    }
  }, { highWaterMark: 0 })
  const init = { method: "POST", body, duplex: "half" }
  return { seen, request: new Request(`http://tidings.test${url}`, init) }
}

const here = HttpServerResponse.text("inside")

const doorOf = (isFull: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      HttpRouter.toWebHandler(
        Layer.mergeAll(Door.layer, HttpRouter.add("*", "/*", here)).pipe(
          Layer.provide(Layer.succeed(Admission, { isFull: () => isFull, ask: () => undefined }))
        ),
        { disableLogger: true }
      )
    ),
    ({ dispose }) => Effect.promise(dispose)
  )

describe("the door", () => {
  it.effect("refuses sends that would wait in vain with 503 and Retry-After, unread; everything else comes in", () =>
    Effect.gen(function*() {
      const { handler } = yield* doorOf(true)
      for (const url of ["/send", "/send?x=1"]) {
        const { request, seen } = send(url)
        const answer = yield* Effect.promise(() => handler(request))
        assert.strictEqual(answer.status, 503)
        assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
        assert.hasAllKeys(yield* Effect.promise(() => answer.json()), ["message", "type"])
        assert.isFalse(seen.read)
      }
      for (const request of [send("/sender").request, send("/lists/send").request, new Request("http://t/send")]) {
        assert.strictEqual((yield* Effect.promise(() => handler(request))).status, 200)
      }
    }))

  it.effect("lets sends in while there is room", () =>
    Effect.gen(function*() {
      const { handler } = yield* doorOf(false)
      assert.strictEqual((yield* Effect.promise(() => handler(send("/send").request))).status, 200)
    }))
})
