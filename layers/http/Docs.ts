import { Served } from "#layers/http/Served.ts"
import { Effect, Layer } from "effect"
import { HttpBody, HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"

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

/**
 * The same answer, of bytes that all who ask are sent. Of text Node makes a copy for each of them, and a few
 * connections that read nothing could fill the memory with copies, without a key.
 */
const inBytes = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  return body._tag === "Uint8Array"
    ? HttpServerResponse.setBody(response, HttpBody.uint8Array(body.body, body.contentType))
    : response
}

const document = Effect.sync(() => inBytes(HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Served))))

/**
 * `GET /openapi.json`, and `GET /docs`: a page without outside resources. Both are made when they are first asked for,
 * not at the start: the page has a script of 3 MB.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const router = yield* HttpRouter.HttpRouter
  const visited = Effect.map(
    Effect.flatten(HttpRouter.toHttpEffect(page)),
    (response) => inBytes(HttpServerResponse.setHeaders(response, guards))
  )
  yield* router.add("GET", "/docs", yield* Effect.cached(visited))
  yield* router.add("GET", "/openapi.json", yield* Effect.cached(document))
}))
