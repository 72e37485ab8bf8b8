import * as Group from "#layers/http/Group.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Translations } from "#src/content/Translations.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** /translations. */
export const layer = Group.layer(Effect.gen(function*() {
  const translations = yield* Translations
  return HttpApiBuilder.group(Served, "translations", (handlers) =>
    handlers.handleAll({
      get: Effect.fnUntraced(function*({ params: { domain, locale } }) {
        const { scope } = yield* CurrentPrincipal
        return yield* translations.get(scope, domain, locale)
      }, refusals),
      put: Effect.fnUntraced(function*({ params: { domain, locale }, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* translations.put(scope, domain, locale, payload)
      }, refusals)
    }))
}))
