import { Scope } from "#schemas/Scope.ts"
import { ApiKeys, InvalidKey, type Principal } from "#src/access/ApiKeys.ts"
import { Layouts } from "#src/content/Layouts.ts"
import { Mjml } from "#src/content/Mjml.ts"
import * as Rendering from "#src/content/Rendering.ts"
import { Translations } from "#src/content/Translations.ts"
import * as Intake from "#src/delivery/Intake.ts"
import * as Previews from "#src/delivery/Previews.ts"
import * as Rehearsals from "#src/delivery/Rehearsals.ts"
import * as AccessStores from "#test/layers/http/AccessStores.ts"
import * as ContentStores from "#test/layers/http/ContentStores.ts"
import * as JournalStores from "#test/layers/http/JournalStores.ts"
import * as LogStores from "#test/layers/http/LogStores.ts"
import * as PreferenceStores from "#test/layers/http/PreferenceStores.ts"
import * as ProfileStores from "#test/layers/http/ProfileStores.ts"
import type { State } from "#test/layers/http/State.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Option, Redacted } from "effect"

const principals: Record<string, Principal> = {
  pk_prod_a: { scope: Scope.make(1), keyState: "published" },
  dk_prod_a: { scope: Scope.make(1), keyState: "draft" },
  pk_test_a: { scope: Scope.make(2), keyState: "published" }
}

/** Doubles of every store behind the routes, over one state; the intake is the real one. */
export const layer = (state: State) => {
  const keys = Layer.mock(ApiKeys, {
    authenticate: (key) => {
      const principal = principals[Redacted.value(key)]
      return principal === undefined ? Effect.fail(new InvalidKey()) : Effect.succeed(principal)
    }
  })

  const rendering = Rendering.layer.pipe(
    Layer.provide([Layer.mock(Layouts, {}), Layer.mock(Mjml, {})]),
    Layer.provide(Layer.mock(Translations, { find: () => Effect.succeed(Option.none()) }))
  )

  return Layer.mergeAll(Intake.layer, Previews.layer, Rehearsals.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        JournalStores.layer(state),
        LogStores.layer(state),
        keys,
        PreferenceStores.layer(state).pipe(
          Layer.provideMerge([ContentStores.layer(state), ProfileStores.layer(state)])
        ),
        AccessStores.layer(state)
      )
    ),
    Layer.provide(rendering),
    Layer.provideMerge(NodeCrypto.layer)
  )
}
