import { Scope } from "#schemas/Scope.ts"
import { Context, Effect, Layer, Schema, type Scope as Life } from "effect"

/** What was cached of one kind of thing in one environment is old. `kind` as `Revisions.make` is given it. */
export const Invalidation = Schema.Struct({
  kind: Schema.String,
  scope: Scope,
  /** That of a change by this node, which may commit any moment. Absent: it is another node's, and there to be read. */
  revision: Schema.optionalKey(Schema.Number)
})
export type Invalidation = typeof Invalidation.Type

/** What a change tells all nodes once it is committed, on the channel of what is due: who hears of a message has heard of all that was changed before it. */
export const noticeOf = ({ kind, scope }: Pick<Invalidation, "kind" | "scope">): string => `changed ${scope} ${kind}`

/** `undefined` for another notice. */
export const ofNotice = (notice: string): Invalidation | undefined => {
  const [, scope, kind] = /^changed (\d+) (.+)$/.exec(notice) ?? []
  return kind === undefined ? undefined : { kind, scope: Scope.make(Number(scope)) }
}

/** Hears that something cached is old. */
type Listener = (invalidation: Invalidation) => Effect.Effect<void>

/** Tells who caches something of each change that is made here, or told by another node. A server's workers are told of its changes too. */
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
