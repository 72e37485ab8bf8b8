import { AccountEmail } from "#layers/http/Access.ts"
import * as Changes from "#layers/http/Changes.ts"
import { unavailable } from "#layers/http/Replies.ts"
import * as Segments from "#layers/http/Segments.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import * as AuthorizationHeader from "#src/access/AuthorizationHeader.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as KeyText from "#src/access/KeyText.ts"
import { type Actor, Audit } from "#src/reports/Audit.ts"
import * as Deeds from "#src/reports/Deeds.ts"
import { Data, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"

type Response = HttpServerResponse.HttpServerResponse

/** Records who changed what is managed here, in the same commit as the change itself (api.md 24). */
export class Audited extends HttpApiMiddleware.Service<Audited, { requires: CurrentPrincipal }>()(
  "tidings/http/Audited"
) {}

/** Carries a refusal out of the transaction, which is rolled back. */
class Refused extends Data.TaggedError("Refused")<{ readonly response: Response }> {}

const decodeMade = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** The id of what was created, if the response gives one. */
const madeBy = ({ body }: Response): string | undefined => {
  if (body._tag !== "Uint8Array") return undefined
  const text = body.text ?? new TextDecoder().decode(body.body)
  return Option.getOrUndefined(Option.map(decodeMade(text), ({ id }) => id))
}

/** What was changed, as the path that leads to it. */
const targetOf = (
  type: string,
  path: string,
  params: HttpRouter.RouteContext["Service"]["params"],
  response: Response
): string => {
  const segments = Segments.filled(Deeds.targetOf(path), params)
  const made = type.endsWith(".created") ? madeBy(response) : undefined
  return (made === undefined ? segments : [...segments, made]).join("/")
}

export const layer = Layer.effect(
  Audited,
  Effect.gen(function*() {
    const audit = yield* Audit
    const email = yield* AccountEmail
    const digest = yield* KeyText.digesting

    /** Who acts: the token's user, or an API key, by its name. */
    const actorOf = ({ grant }: Principal, header: string | undefined): Actor => {
      const [user] = grant?.userIds ?? []
      if (user !== undefined) return { id: user }
      const key = AuthorizationHeader.parse(header, email)
      const text = key === undefined ? "" : Redacted.value(key)
      const prefix = /^[pd]k_(?:prod|test)_/.exec(text)?.[0] ?? ""
      const id = KeyText.nameOf(prefix, digest(text))
      return header?.toLowerCase().startsWith("basic ") === true ? { id, email } : { id }
    }

    const audited = Effect.fnUntraced(function*<R>(
      endpoint: Pick<HttpApiEndpoint.Top, "method" | "path">,
      type: string,
      handler: Effect.Effect<Response, never, R>
    ) {
      const principal = yield* CurrentPrincipal
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const { params } = yield* HttpRouter.RouteContext
      const operation = Effect.gen(function*() {
        const { changed, response } = yield* Changes.observed(handler)
        if (response.status >= 400) return yield* new Refused({ response })
        if (!changed) return response
        const target = targetOf(type, endpoint.path, params, response)
        const actor = actorOf(principal, headers["authorization"])
        yield* audit.record(principal.scope, { type, source: "api", target, actor })
        return response
      })
      return yield* audit.together(operation).pipe(
        Effect.catchTag("Refused", ({ response }) => Effect.succeed(response)),
        Effect.catchTag("StoreUnavailable", () => unavailable)
      )
    })

    return (handler, { endpoint }) => {
      const type = Deeds.typeOf(endpoint.method, endpoint.path)
      return type === undefined ? handler : audited(endpoint, type, Effect.orDie(handler))
    }
  })
)
