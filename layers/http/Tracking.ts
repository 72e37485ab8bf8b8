import { unavailable } from "#layers/http/Replies.ts"
import { openPath, Tracking } from "#src/reports/Tracking.ts"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** One transparent pixel. */
const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")

const pixel = HttpServerResponse.uint8Array(gif, {
  contentType: "image/gif",
  headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" }
})

/** GET /t/open/:id (ours; api.md 25.2): the picture of `urls.opened`. The same for a forged id, so that nobody learns which are real. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const tracking = yield* Tracking
  yield* router.add(
    "GET",
    `${openPath}/:id`,
    Effect.gen(function*() {
      const { id = "" } = yield* HttpRouter.params
      const { method } = yield* HttpServerRequest.HttpServerRequest
      // Who asks for the headers alone has seen no picture.
      if (method === "GET") yield* tracking.opened(id)
      return pixel
    }).pipe(Effect.catchTag("StoreUnavailable", () => unavailable))
  )
}))
