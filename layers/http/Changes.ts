import { Context, Effect, Ref } from "effect"

/** Told that a request changed nothing; where nobody writes down changes, nobody is told. */
const Nothing = Context.Reference<Effect.Effect<void>>("tidings/http/Nothing", { defaultValue: () => Effect.void })

/** A change that answers whether it happened: the audit keeps no event of one that did not. */
export const noted = <E, R>(change: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(change, (happened) => happened ? Effect.void : Effect.flatten(Effect.service(Nothing)))

/** The response of a handler, and whether it changed anything, which it did unless it says otherwise. */
export const observed = Effect.fnUntraced(function*<A, E, R>(handler: Effect.Effect<A, E, R>) {
  const changed = yield* Ref.make(true)
  const response = yield* Effect.provideService(handler, Nothing, Ref.set(changed, false))
  return { response, changed: yield* Ref.get(changed) }
})
