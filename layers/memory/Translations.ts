import { Database } from "#layers/memory/Database.ts"
import type { State } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import type { Scope } from "#schemas/Scope.ts"
import { layered, parse } from "#src/content/Catalogue.ts"
import { canonical, defaultDomain, fallbacks, TranslationNotFound, Translations } from "#src/content/Translations.ts"
import { Effect, HashMap, Layer, Option } from "effect"

const nameOf = (scope: Scope, domain: string, locale: string): string => JSON.stringify([scope, domain, locale])

const stored = (scope: Scope, domain: string, locale: string) => (state: State) =>
  HashMap.get(state.access.translations, nameOf(scope, domain, canonical(locale)))

/** The translations in memory. */
export const layer = Layer.effect(
  Translations,
  Effect.gen(function*() {
    const { read, update } = yield* Database

    return Translations.of({
      get: Effect.fnUntraced(function*(scope, domain, locale) {
        const found = yield* read(stored(scope, domain, locale))
        return Option.isSome(found) ? found.value : yield* new TranslationNotFound({ domain, locale })
      }),
      put: Effect.fnUntraced(function*(scope, domain, locale, po) {
        if (domain !== defaultDomain) return yield* new TranslationNotFound({ domain, locale })
        yield* parse(po)
        yield* update((state) => ({
          ...state,
          access: {
            ...state.access,
            translations: HashMap.set(state.access.translations, nameOf(scope, domain, canonical(locale)), po)
          }
        }))
      }),
      find: Effect.fnUntraced(function*(scope, domain, locale) {
        const found = yield* read((state) =>
          fallbacks(locale).flatMap((form) => Option.toArray(stored(scope, domain, form)(state)))
        )
        const catalogues = yield* orUnavailable(Effect.forEach(found, parse))
        return Option.fromUndefinedOr(layered(catalogues))
      })
    })
  })
)
