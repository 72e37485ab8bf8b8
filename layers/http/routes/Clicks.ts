import { broken } from "#layers/http/pages/Answers.ts"
import { clickPath, Clicks } from "#src/reports/Clicks.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect } from "effect"
import { type Headers, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** Nobody on the way may keep where a link leads, nor the page there learn by which link somebody came. */
const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer", "x-robots-tag": "noindex" }

/** A browser or a proxy fetches the page in case its reader goes there. */
const isPrefetch = (asked: Headers.Headers): boolean =>
  ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) => /prefetch|preview/i.test(asked[name] ?? ""))

/**
 * GET /t/click/:id (ours; api.md 25.2): the way to where a link of a mail leads. Its reader gets there also while the
 * store is away, and nobody hears of the click then.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { clicked, targetOf } = yield* Clicks
  const patiently = yield* Patience.asking(Patience.callers)
  yield* router.add(
    "GET",
    `${clickPath}/:id`,
    Effect.gen(function*() {
      const { id = "" } = yield* HttpRouter.params
      const { headers: asked, method } = yield* HttpServerRequest.HttpServerRequest
      const target = targetOf(id)
      if (target === undefined) return broken
      // A scanner that asks for the headers alone has followed nothing, nor has who may do so later.
      if (method === "GET" && !isPrefetch(asked)) yield* Effect.ignore(patiently(clicked(id)))
      return HttpServerResponse.redirect(target, { headers })
    })
  )
}))
