import * as Group from "#layers/http/Group.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { ProfileNotFound, Profiles } from "#src/people/Profiles.ts"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

const done = { status: "SUCCESS" } as const

/** /profiles. */
export const layer = Group.layer(Effect.gen(function*() {
  const profiles = yield* Profiles
  return HttpApiBuilder.group(Served, "profiles", (handlers) =>
    handlers.handleAll({
      get: ({ params: { user_id: userId } }) =>
        Effect.flatMap(CurrentPrincipal, ({ scope }) =>
          refusals(Effect.flatMap(profiles.document(scope, userId), (document) =>
            Option.isSome(document)
              ? Effect.succeed(HttpServerResponse.text(document.value, { contentType: "application/json" }))
              : Effect.fail(new ProfileNotFound({ userId }))))),
      replace: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* profiles.replace(scope, params.user_id, payload.profile)
        return done
      }, refusals),
      merge: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* profiles.merge(scope, params.user_id, payload.profile)
        return done
      }, refusals),
      patch: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* profiles.patch(scope, params.user_id, payload.patch)
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* profiles.remove(scope, params.user_id)
      }, refusals)
    }))
}))
