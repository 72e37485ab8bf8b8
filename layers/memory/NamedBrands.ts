import type { Database } from "#layers/memory/Database.ts"
import { nameOf } from "#layers/memory/State.ts"
import type { Scope } from "#schemas/Scope.ts"
import { UnknownBrand } from "#src/content/Templates.ts"
import { Effect, HashMap } from "effect"

/** Fails unless these brands exist. */
export const check = Effect.fnUntraced(function*(
  { read }: Pick<Database["Service"], "read">,
  scope: Scope,
  ids: ReadonlyArray<string>
) {
  const missing = yield* read(({ brands }) => ids.find((id) => !HashMap.has(brands, nameOf(scope, id))))
  if (missing !== undefined) return yield* new UnknownBrand({ id: missing })
})
