import * as Group from "#layers/http/Group.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { inWords, refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { BrandResponse } from "#schemas/api/Brands.ts"
import { LimitExceeded } from "#schemas/api/Errors.ts"
import { defaultLimit } from "#schemas/api/Query.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { type BrandExists, type BrandRecord, Brands, type TooManyBrands } from "#src/content/Brands.ts"
import * as Texts from "#src/content/layout/Texts.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const response = ({ version, ...record }: BrandRecord): BrandResponse => ({
  ...record,
  version: DateTime.formatIso(DateTime.makeUnsafe(version))
})

const refusal = (error: BrandExists | Texts.BrandRefused | StoreUnavailable | TooManyBrands) =>
  error._tag === "TooManyBrands"
    ? new LimitExceeded({
      message: `The limit of ${error.limit === 1 ? "1 brand" : `${error.limit} brands`} would be exceeded`
    })
    : inWords(error)

/** /brands. */
export const layer = Group.layer(Effect.gen(function*() {
  const brands = yield* Brands
  return HttpApiBuilder.group(Served, "brands", (handlers) =>
    handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload: { id, ...draft } }) {
        const { scope } = yield* CurrentPrincipal
        yield* Texts.checked("", draft)
        return response(yield* brands.create(scope, id ?? undefined, draft))
      }, Effect.mapError(refusal)),
      list: Effect.fnUntraced(function*({ query: { cursor, limit = defaultLimit } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* brands.list(scope, { limit, cursor })
        return { paging: pagingOf(page), results: page.items.map(response) }
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* brands.get(scope, params.brand_id))
      }, refusals),
      replace: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* Texts.checked("", payload)
        return response(yield* brands.replace(scope, params.brand_id, payload))
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* brands.remove(scope, params.brand_id)
      }, refusals)
    }))
}))
