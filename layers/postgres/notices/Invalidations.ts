import { Scope } from "#schemas/Scope.ts"
import { Context, Effect, Layer, Schema, type Scope as Life } from "effect"

/** What was cached of one kind of thing in one environment is old. `kind` as `Revisions.make` is given it. */
export const Invalidation = Schema.Struct({ kind: Schema.String, scope: Scope })
export type Invalidation = typeof Invalidation.Type

/** Hears that something cached is old. */
type Listener = (invalidation: Invalidation) => Effect.Effect<void>

/** Tells who caches something of each change that is made here. A server's workers are told of its changes too. */
export class Invalidations extends Context.Service<Invalidations, {
  readonly tell: Listener
  /** Runs `listener` with each, until the scope closes. */
  readonly hear: (listener: Listener) => Effect.Effect<void, never, Life.Scope>
}>()("tidings/postgres/Invalidations") {}

export const layer: Layer.Layer<Invalidations> = Layer.sync(Invalidations, () => {
  const listeners = new Set<Listener>()
  return Invalidations.of({
    tell: (invalidation) =>
      Effect.suspend(() => Effect.forEach(listeners, (listener) => listener(invalidation), { discard: true })),
    hear: (listener) =>
      Effect.acquireRelease(
        Effect.sync(() => void listeners.add(listener)),
        () => Effect.sync(() => listeners.delete(listener))
      )
  })
})
