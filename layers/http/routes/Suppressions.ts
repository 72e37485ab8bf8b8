import * as Changes from "#layers/http/Changes.ts"
import * as Group from "#layers/http/Group.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { BadRequest } from "#schemas/api/Errors.ts"
import { defaultLimit } from "#schemas/api/Query.ts"
import type { SuppressionChannel } from "#schemas/Suppression.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as SuppressedAddress from "#src/people/SuppressedAddress.ts"
import { type Address, Suppressions } from "#src/people/Suppressions.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const expected: Readonly<Record<SuppressionChannel, string>> = {
  email: "Expected an e-mail address",
  sms: "Expected a phone number in E.164, such as +14155552671"
}

/** The address of a path in the one spelling by which it is known. */
const addressOf = ({ address: written, channel }: Address): Effect.Effect<Address, BadRequest> => {
  const address = SuppressedAddress.of(channel, written)
  return address === undefined
    ? Effect.fail(new BadRequest({ message: `address: ${expected[channel]}` }))
    : Effect.succeed({ channel, address })
}

/** /suppressions. */
export const layer = Group.layer(Effect.gen(function*() {
  const suppressions = yield* Suppressions
  return HttpApiBuilder.group(Served, "suppressions", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { channel, cursor, limit = defaultLimit, reason } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* suppressions.list(scope, { channel, reason, cursor, limit })
        return { paging: pagingOf(page), results: page.items }
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return yield* suppressions.get(scope, yield* addressOf(params)).pipe(refusals)
      }),
      put: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const address = yield* addressOf(params)
        const manual = { ...address, reason: "MANUAL" as const, provider: undefined, detail: undefined }
        yield* Changes.noted(refusals(suppressions.add(scope, [manual])))
      }),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* suppressions.remove(scope, yield* addressOf(params)).pipe(refusals)
      })
    }))
}))
