import { Context, Effect, Ref } from "effect"

/** Is run when a request changed nothing. By default, outside of the audit, it does nothing. */
const Nothing = Context.Reference<Effect.Effect<void>>("tidings/http/Nothing", { defaultValue: () => Effect.void })

/** Runs a change that answers whether anything happened. If not, the audit records no event. */
export const noted = <E, R>(change: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(change, (happened) => happened ? Effect.void : Effect.flatten(Effect.service(Nothing)))

/**
 * Runs a handler and tells whether it changed anything. It is assumed to have done so unless it says otherwise
 * (`noted`).
 */
export const observed = Effect.fnUntraced(function*<A, E, R>(handler: Effect.Effect<A, E, R>) {
  const changed = yield* Ref.make(true)
  const response = yield* Effect.provideService(handler, Nothing, Ref.set(changed, false))
  return { response, changed: yield* Ref.get(changed) }
})
