import { guard } from "#layers/http/body/BodyGuard.ts"
import { CheckedRequest } from "#layers/http/body/CheckedRequest.ts"
import { document, type Look } from "#layers/http/pages/Document.ts"
import { html } from "#layers/http/pages/Html.ts"
import { retryAfter } from "#layers/http/Replies.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as BrandChoice from "#src/content/BrandChoice.ts"
import { Brands } from "#src/content/Brands.ts"
import { styleOf } from "#src/content/layout/Branding.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { LinkBroken } from "#src/people/Unsubscribing.ts"
import * as Patience from "#src/store/Patience.ts"
import { type Cause, Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse

/**
 * The same answer for a link that was forged, changed, cut off or taken from a preview, so that nobody learns which.
 */
export const broken = document({
  title: "This link does not work",
  look: undefined,
  status: 404,
  body: html`<h1>This link does not work</h1>
<p>It may have been cut off or changed on its way to you, or it comes from a preview. Please use the link in the message itself.</p>`
})

const away = Effect.map(retryAfter, (headers) =>
  document({
    title: "Please try again",
    look: undefined,
    status: 503,
    headers,
    body: html`<h1>Please try again</h1>
<p>We cannot reach our records right now. Please come back in a minute.</p>`
  }))

const tooMuch = document({
  title: "Too much",
  look: undefined,
  status: 413,
  body: html`<h1>Too much</h1>
<p>This form holds more than our page asks for. Please use the link in the message again.</p>`
})

/** Bytes, and fields, of a form: a page with thousands of topics sends less. Anybody may post, and Node reads fields without values in quadratic time. */
const mostBytes = 512 * 1024
const mostFields = 10_000

/** The fields of a form, none if the body has another content type; `undefined` if it is more than a page sends. */
const fieldsOf = (request: HttpServerRequest.HttpServerRequest): URLSearchParams | undefined => {
  if (
    !(request instanceof CheckedRequest) ||
    request.headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded") !== true
  ) return new URLSearchParams()
  if (request.bytes.length > mostBytes) return undefined
  const text = request.textUnsafe
  return text.split("&", mostFields + 1).length > mostFields ? undefined : new URLSearchParams(text)
}

type Refusal = LinkBroken | StoreUnavailable

/** How pages handle the token of their path, with the time limit of callers. */
export const make = Effect.gen(function*() {
  const patiently = yield* Patience.within(Patience.callers)
  const brands = yield* Brands

  const answered = <R>(handle: (token: string) => Effect.Effect<Response, Cause.TimeoutError | Refusal, R>) =>
    Effect.flatMap(HttpRouter.params, ({ token = "" }) => handle(token)).pipe(
      Effect.catchTags({
        LinkBroken: () => Effect.succeed(broken),
        StoreUnavailable: () => away,
        TimeoutError: () => away
      })
    )

  return {
    look: (page: (token: string) => Effect.Effect<Response, Refusal>) => answered((token) => patiently(page(token))),
    /**
     * Checks the link with `page`, which changes nothing, before it reads the form: the form of a broken link is not
     * read.
     */
    submit: (
      page: (token: string) => Effect.Effect<unknown, Refusal>,
      submitted: (token: string, fields: URLSearchParams) => Effect.Effect<Response, Refusal>
    ) =>
      answered((token) =>
        Effect.andThen(
          patiently(page(token)),
          guard(
            Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
              const fields = fieldsOf(request)
              return fields === undefined ? Effect.succeed(tooMuch) : patiently(submitted(token, fields))
            })
          )
        )
      ),
    /**
     * The look of a brand, whose id is as `POST /preferences/publish` takes it (api.md 10.2): the default brand if no
     * id is given, or if none has that id; no brand for `none`.
     */
    lookOf: Effect.fnUntraced(function*(
      scope: Scope,
      brandId: string | undefined
    ): Effect.fn.Return<Look | undefined, StoreUnavailable> {
      if (brandId === "none") return undefined
      const named = brandId === undefined || brandId === "default" ? undefined : yield* brands.resolve(scope, brandId)
      const fallback = yield* brands.fallback(scope)
      const brand = named === undefined || fallback === undefined
        ? named ?? fallback
        : BrandChoice.under(fallback)(named)
      return brand && styleOf(brand)
    })
  }
})
