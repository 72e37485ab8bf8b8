import { Scope } from "#schemas/Scope.ts"
import { Context, Effect, Layer, Schema, type Scope as Life } from "effect"

/** A change of one kind of thing in one environment. `kind` as `Revisions.make` is given it. */
export const Change = Schema.Struct({ kind: Schema.String, scope: Scope })
export type Change = typeof Change.Type

/** The changes that this node makes, for all of its threads: what one of them writes is in force in each at once. */
export class Changes extends Context.Service<Changes, {
  readonly tell: (change: Change) => void
  /** Runs `onChange` with each change, until the scope closes. */
  readonly hear: (onChange: (change: Change) => void) => Effect.Effect<void, never, Life.Scope>
}>()("tidings/postgres/Changes") {}

export const layer: Layer.Layer<Changes> = Layer.sync(Changes, () => {
  const listeners = new Set<(change: Change) => void>()
  return Changes.of({
    tell: (change) => {
      for (const listener of listeners) listener(change)
    },
    hear: (onChange) =>
      Effect.acquireRelease(
        Effect.sync(() => void listeners.add(onChange)),
        () => Effect.sync(() => listeners.delete(onChange))
      )
  })
})
