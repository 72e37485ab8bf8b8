import * as Group from "#layers/http/Group.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { UserToken } from "#schemas/api/DeviceTokens.ts"
import { BadRequest } from "#schemas/api/Errors.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { type DeviceToken, DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const shown = ({ details, expires, provider, token }: DeviceToken): UserToken => ({
  token,
  provider_key: provider,
  expiry_date: expires,
  ...details
})

/** /users/:user_id/tokens. */
export const layer = Group.layer(Effect.gen(function*() {
  const devices = yield* DeviceTokens
  return HttpApiBuilder.group(Served, "deviceTokens", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return { tokens: (yield* devices.list(scope, params.user_id)).map(shown) }
      }, refusals),
      registerMany: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        const registrations = (payload?.tokens ?? []).map(({ token, ...write }) => ({ token, write }))
        yield* devices.register(scope, params.user_id, registrations)
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const found = yield* devices.get(scope, params.user_id, params.token)
        return { ...shown(found), status: found.status, status_reason: found.statusReason }
      }, refusals),
      register: Effect.fnUntraced(function*({ params, payload: { token = null, ...write } }) {
        const { scope } = yield* CurrentPrincipal
        if (token !== null && token !== params.token) {
          return yield* new BadRequest({ message: "token: Expected the token of the path" })
        }
        yield* devices.register(scope, params.user_id, [{ token: params.token, write }]).pipe(refusals)
      }),
      patch: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* devices.patch(scope, params.user_id, params.token, payload.patch)
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* devices.remove(scope, params.user_id, params.token)
      }, refusals)
    }))
}))
