import { afterAll } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"

/** The layer, built once for all suites of a test file however many of them ask for it, and gone after the last. */
export const shared = <A, E>(layer: Layer.Layer<A, E>): Layer.Layer<A, E> => {
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Layer.effectContext(Effect.runSync(Effect.cached(Layer.buildWithScope(layer, scope))))
}
