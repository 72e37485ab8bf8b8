import { afterAll, beforeAll } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"

/** A database that is made on a busy machine takes its time, in ms. */
const patience = 120_000

/** The layer, built once before the suites of a test file however many of them ask for it, and gone after the last. */
export const shared = <A, E>(layer: Layer.Layer<A, E>): Layer.Layer<A, E> => {
  const scope = Scope.makeUnsafe()
  const context = Effect.runSync(Effect.cached(Layer.buildWithScope(layer, scope)))
  beforeAll(() => Effect.runPromise(Effect.asVoid(context)), patience)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), patience)
  return Layer.effectContext(context)
}
