import { Context, Effect, Layer } from "effect"
import { HttpMiddleware, HttpRouter } from "effect/http"

/** The origins whose pages may call the API from a browser, `*` for all; none unless the operator names some (API8). */
export const CorsOrigins = Context.Reference<ReadonlyArray<string>>("tidings/http/CorsOrigins", {
  defaultValue: () => []
})

/** What pages may read of an answer besides its body. */
const exposedHeaders = [
  "retry-after",
  "x-should-retry",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "idempotent-replayed"
]

/** Seconds for which a browser remembers that it may. */
const maxAge = 600

/** Whether a request is of a page, which cannot read an answer that does not tell it so; never where no page may call. */
export const isOfPage = Effect.map(
  CorsOrigins,
  (origins) => ({ rawHeaders }: { readonly rawHeaders: ReadonlyArray<string> }): boolean =>
    origins.length > 0 &&
    rawHeaders.some((name, index) => index % 2 === 0 && name.length === 6 && name.toLowerCase() === "origin")
)

/**
 * Answers browsers that ask whether they may (`OPTIONS`), and tells them in every other answer. Cookies are none of ours:
 * a page sends a user's own token, with which it may do no more than anybody who has it.
 */
export const layer = Layer.unwrap(Effect.map(CorsOrigins, (origins) => {
  if (origins.length === 0) return Layer.empty
  const allowedOrigins = origins.includes("*") ? [] : (origin: string) => origins.includes(origin)
  return HttpRouter.middleware(HttpMiddleware.cors({ allowedOrigins, exposedHeaders, maxAge }), { global: true })
}))
