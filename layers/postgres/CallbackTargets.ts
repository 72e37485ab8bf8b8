import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { Scope } from "#schemas/Scope.ts"
import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { CallbackTargets, targetOf } from "#src/reports/Callbacks.ts"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ scope: Scope })))

/** Finds the provider configuration that a callback is for, on Postgres. Its id alone tells the environment. */
export const layer = Layer.effect(
  CallbackTargets,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const configurations = yield* ProviderConfigurations
    return CallbackTargets.of({
      find: Effect.fnUntraced(function*(id) {
        const rows = yield* Effect.flatMap(sql`select scope from provider_configurations where id = ${id}`, decode)
        const row = Array.head(rows)
        if (Option.isNone(row)) return Option.none()
        const { scope } = row.value
        return yield* configurations.get(scope, id).pipe(
          Effect.map((configuration) => Option.some(targetOf(scope, configuration))),
          Effect.catchTag("ConfigurationNotFound", () => Effect.succeedNone)
        )
      }, orUnavailable)
    })
  })
)
