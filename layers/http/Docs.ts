import { Served } from "#layers/http/Served.ts"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"

const page = HttpApiScalar.layer(Served, { path: "/docs", scalar: { withDefaultFonts: false } })

/**
 * Readers type their keys into this page: no other site may frame it, and nothing injected into it can lead them
 * elsewhere.
 */
const guards = {
  "content-security-policy":
    "connect-src 'self'; object-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/** GET /docs: a page without outside resources. Its 3 MB script is loaded at the first visit, not at the start. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const router = yield* HttpRouter.HttpRouter
  const visited = yield* Effect.cached(
    Effect.map(Effect.flatten(HttpRouter.toHttpEffect(page)), HttpServerResponse.setHeaders(guards))
  )
  yield* router.add("GET", "/docs", visited)
}))
