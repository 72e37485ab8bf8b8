import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)))("OverriddenTopics on Postgres", (it) => {
  it.effect("a catalogue that was rolled back is nobody's, though the next change has its revision", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const catalogue = yield* PreferenceCatalogue
      const overridden = yield* OverriddenTopics
      const names = Effect.map(
        overridden.of({ scope, userId: UserId.make("ann"), tenantId: undefined }),
        ({ sections }) => sections.map(({ section }) => section.name)
      )
      const given = (name: string) => Effect.andThen(catalogue.createSection(scope, { name }), names)
      const cut = yield* given("Cut off").pipe(
        Effect.flatMap((seen) => Effect.fail(seen)),
        sql.withTransaction,
        Effect.flip
      )
      assert.deepStrictEqual(cut, ["Cut off"])
      assert.deepStrictEqual(yield* given("Kept"), ["Kept"])
    }))
})
