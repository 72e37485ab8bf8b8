import { Scope } from "#schemas/Scope.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)))("The published preference page", (it) => {
  it.effect("is one for each environment, however often it is published", () =>
    Effect.gen(function*() {
      const catalogue = yield* PreferenceCatalogue
      const sql = yield* SqlClient.SqlClient
      const publish = (scope: number, heading: string) =>
        catalogue.publish(Scope.make(scope), { brandId: undefined, heading, description: undefined })
      yield* publish(2, "theirs")
      yield* Effect.forEach(["one", "two", "three"], (heading) => publish(1, heading))
      const page = yield* catalogue.published(Scope.make(1))
      assert.strictEqual(Option.getOrThrow(page).heading, "three")
      assert.deepStrictEqual(
        yield* sql`select scope, count(*)::int as pages from preference_pages group by 1 order by 1`,
        [
          { scope: 1, pages: 1 },
          { scope: 2, pages: 1 }
        ]
      )
    }))
})
