import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

const rounds = 20
const draft = { provider: "sendgrid", title: undefined, alias: undefined, settings: undefined }

layer(Stores.layer.pipe(Layer.provide(FreshDatabase.layerEmpty)), { excludeTestServices: true })(
  "Provider configurations on Postgres",
  (it) => {
    it.effect(
      "of two that a strategy may do with, which are removed at once, one stays",
      () =>
        Effect.gen(function*() {
          const { scope } = yield* Fixture.world
          const configurations = yield* ProviderConfigurations
          const strategies = yield* Strategies
          yield* strategies.create(scope, { name: "s", routing: { method: "single", channels: ["sendgrid"] } })
          let { id: kept } = yield* configurations.create(scope, draft)
          for (let round = 0; round < rounds; round++) {
            const { id: other } = yield* configurations.create(scope, draft)
            yield* Effect.forEach(
              [kept, other],
              (id) => Effect.catchTag(configurations.remove(scope, id), "ConfigurationInUse", () => Effect.void),
              { concurrency: "unbounded" }
            )
            const left = yield* configurations.installed(scope)
            assert.lengthOf(left, 1, `round ${round}`)
            kept = left[0]?.id ?? ""
          }
        }),
      60_000
    )
  }
)
