import { Effect, Layer, Tracer } from "effect"

/** Counts the statements of what is built over `layer`, also of those that several callers share. */
export const make = () => {
  let statements = 0
  const tracer = Tracer.make({
    span: (options) => {
      if (options.kind === "client") statements++
      return new Tracer.NativeSpan(options)
    }
  })
  const counting = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const before = statements
      return Effect.map(effect, (result) => ({ result, statements: statements - before }))
    })
  return { counting, layer: Layer.succeed(Tracer.Tracer, tracer) }
}
