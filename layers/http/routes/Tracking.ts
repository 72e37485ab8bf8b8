import { unavailable } from "#layers/http/Replies.ts"
import { openPath, Tracking } from "#src/reports/Tracking.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** A transparent image of one pixel. */
const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")

const pixel = HttpServerResponse.uint8Array(gif, {
  contentType: "image/gif",
  headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" }
})

/**
 * GET /t/open/:id (ours; api.md 25.2): the picture of `urls.opened`. A forged id gets the same answer, so that nobody
 * learns which ids exist.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const tracking = yield* Tracking
  const patiently = yield* Patience.asking(Patience.callers)
  yield* router.add(
    "GET",
    `${openPath}/:id`,
    Effect.gen(function*() {
      const { id = "" } = yield* HttpRouter.params
      const { method } = yield* HttpServerRequest.HttpServerRequest
      // A request for the headers alone has shown nobody the picture.
      if (method === "GET") yield* patiently(tracking.opened(id))
      return pixel
    }).pipe(Effect.catchTag("StoreUnavailable", () => unavailable))
  )
}))
