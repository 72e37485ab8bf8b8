import * as Group from "#layers/http/Group.ts"
import { pagingOf, whole } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { CatalogEntry, ProviderResponse, ProviderWrite } from "#schemas/api/Providers.ts"
import { defaultLimit, members } from "#schemas/api/Query.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Catalogue, type CatalogueEntry, search } from "#src/delivery/providers/Catalogue.ts"
import * as Configure from "#src/delivery/providers/Configure.ts"
import * as Masks from "#src/delivery/providers/Masks.ts"
import { type Configuration, ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const defaultTitle = "Default Configuration"

const catalogued = ({ channel, description, fields, key, name }: CatalogueEntry): CatalogEntry => ({
  provider: key,
  name,
  description,
  channel,
  settings: fields
})

const wanted = ({ alias, provider, settings, title }: typeof ProviderWrite.Type): Configure.Wanted => ({
  provider,
  title: title ?? undefined,
  alias: alias ?? undefined,
  settings: settings ?? undefined
})

const response = (catalogue: Catalogue["Service"]) => (stored: Configuration): ProviderResponse => ({
  ...stored,
  title: stored.title ?? defaultTitle,
  settings: Masks.shown(catalogue, stored)
})

/** /providers. */
export const layer = Group.layer(Effect.gen(function*() {
  const catalogue = yield* Catalogue
  const configurations = yield* ProviderConfigurations
  const configure = yield* Configure.make
  const shown = response(catalogue)
  return HttpApiBuilder.group(Served, "providers", (handlers) =>
    handlers.handleAll({
      catalog: ({ query: { channel, keys, name } }) =>
        Effect.succeed({
          paging: whole,
          results: search(catalogue, { channel, name, keys: members(keys) }).map(catalogued)
        }),
      list: Effect.fnUntraced(function*({ query: { cursor, limit = defaultLimit } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* configurations.list(scope, { limit, cursor })
        return { paging: pagingOf(page), results: page.items.map(shown) }
      }, refusals),
      create: Effect.fnUntraced(function*({ payload }) {
        const { scope } = yield* CurrentPrincipal
        return shown(yield* configure.create(scope, wanted(payload)))
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return shown(yield* configurations.get(scope, params.id))
      }, refusals),
      replace: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        return shown(yield* configure.replace(scope, params.id, wanted(payload)))
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* configurations.remove(scope, params.id)
      }, refusals)
    }))
}))
