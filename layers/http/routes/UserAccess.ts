import { errorReply } from "#layers/http/ErrorReply.ts"
import * as Ids from "#layers/http/Ids.ts"
import { unavailable } from "#layers/http/Replies.ts"
import * as Segments from "#layers/http/Segments.ts"
import type { Scope } from "#schemas/Scope.ts"
import { judge } from "#src/access/Permissions.ts"
import type { Grant } from "#src/access/Grant.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"

type Endpoint = Pick<HttpApiEndpoint.Top, "method" | "path">

const forbidden = errorReply(403, "The scopes of this token do not allow it", "authorization_error")

/**
 * The recipient whose messages may be listed: the one that is named or, if none is, the token's only user. `undefined`:
 * not allowed.
 */
const listed = (grant: Grant, given: string | ReadonlyArray<string> | undefined): string | undefined => {
  const recipient = given === undefined || given === "" ? grant.userIds[0] : given
  if (typeof recipient !== "string" || (recipient !== given && grant.userIds.length > 1)) return undefined
  return grant.userIds.includes(recipient) ? recipient : undefined
}

/**
 * Runs an endpoint for a user's token if its scopes allow it, else answers 403. Of messages, the token sees only those
 * to its own users. Preferences within a tenant are its members': others could otherwise learn which tenants there are
 * and what these prefer, and store any number of their own.
 */
export const make = Effect.gen(function*() {
  const log = yield* MessageLog
  const { find } = yield* Memberships
  const patiently = yield* Patience.asking(Patience.callers)

  const ofMessages = Effect.fnUntraced(function*<A, E, R>(
    grant: Grant,
    scope: Scope,
    id: string | undefined,
    endpoint: Effect.Effect<A, E, R>
  ) {
    if (id === undefined) {
      const search = yield* HttpServerRequest.ParsedSearchParams
      const recipient = listed(grant, search["recipient"])
      if (recipient === undefined) return forbidden
      return yield* Effect.provideService(endpoint, HttpServerRequest.ParsedSearchParams, { ...search, recipient })
    }
    const found = yield* Ids.messageId(id).pipe(
      Effect.flatMap((messageId) => patiently(log.get(scope, messageId))),
      Effect.result
    )
    if (found._tag === "Success") {
      const { userId } = found.success
      return userId !== undefined && grant.userIds.includes(userId) ? yield* endpoint : forbidden
    }
    // A missing message is the endpoint's to refuse. One that cannot be read now may be another user's.
    return found.failure._tag === "MessageNotFound" ? yield* endpoint : yield* unavailable
  })

  const ofPreferences = Effect.fnUntraced(function*<A, E, R>(
    scope: Scope,
    userId: string,
    endpoint: Effect.Effect<A, E, R>
  ) {
    const { tenant_id: id } = yield* HttpServerRequest.ParsedSearchParams
    if (typeof id !== "string" || id === "") return yield* endpoint
    const found = yield* Effect.result(patiently(find(scope, userId, id)))
    if (found._tag === "Failure") return yield* unavailable
    return Option.isSome(found.success) ? yield* endpoint : forbidden
  })

  return Effect.fnUntraced(function*<A, E, R>(
    grant: Grant,
    scope: Scope,
    { method, path }: Endpoint,
    endpoint: Effect.Effect<A, E, R>
  ) {
    const { params } = yield* HttpRouter.RouteContext
    const segments = Segments.filled(path, params)
    switch (judge(grant, { method, segments })) {
      case "allowed":
        return yield* endpoint
      case "preferences":
        return yield* ofPreferences(scope, segments[1] ?? "", endpoint)
      case "messages":
        return yield* ofMessages(grant, scope, segments[1], endpoint)
      case "refused":
        return forbidden
    }
  })
})
