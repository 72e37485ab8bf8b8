import { Served } from "#layers/http/Served.ts"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiScalar } from "effect/http-api"

const page = HttpApiScalar.layer(Served, { path: "/docs", scalar: { withDefaultFonts: false } })

/** GET /docs: a page without outside resources. Its 3 MB script is loaded at the first visit, not at the start. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const router = yield* HttpRouter.HttpRouter
  const visited = yield* Effect.cached(Effect.flatten(HttpRouter.toHttpEffect(page)))
  yield* router.add("GET", "/docs", visited)
}))
