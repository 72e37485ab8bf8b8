import { Cause, Effect, Exit, Metric, Predicate } from "effect"

// Node runs a property without looking at its types. What is none might do nothing, and then nothing would break it.

/** The type of a value, as a sentence names it. */
export const typeOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

const hasFunction = (value: unknown, name: string): boolean =>
  Predicate.hasProperty(value, name) && typeof value[name] === "function"

/** What is wrong with what was given for a property, in a sentence. */
export const ofProperty = (given: unknown): string | undefined =>
  hasFunction(given, "story") && hasFunction(given, "complaints")
    ? undefined
    : "A property has to be an object with the functions story and complaints"

/** What a story gave, which is to be an effect: a promise, or what calls of the world are not yielded in, does nothing. */
export const effect = (given: Effect.Effect<unknown, unknown>): Effect.Effect<unknown, unknown> =>
  Effect.isEffect(given) ? given : Effect.die(
    `it has to give an Effect, as Effect.fnUntraced(function*(world) { … }) does, and gave one of type ${typeOf(given)}`
  )

/**
 * Tells of each fiber that ends by a defect, such as of a call of the world that can have no effect: in one that the
 * story forks, nobody else would hear of it.
 */
export const watched =
  (tell: (cause: Cause.Cause<unknown>) => void) => <A, E>(story: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.provideService(story, Metric.FiberRuntimeMetrics, {
      recordFiberStart: () => undefined,
      recordFiberEnd: (_, exit) => {
        if (Exit.isFailure(exit) && exit.cause.reasons.some(Cause.isDieReason)) tell(exit.cause)
      }
    })

/** What `complaints` gave, or a complaint about that. */
export const sentences = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.isArray(given) && given.every(Predicate.isString) ? given : [
    `complaints has to give an array of sentences, which is empty if nothing is wrong, and gave one of type ${
      typeOf(given)
    }`
  ]

/** Code of others: of packages such as assertion libraries, of Node, and of the language (`JSON.parse`). */
const isOthers = (frame: string): boolean => /[/\\]node_modules[/\\]|\bnode:|<anonymous>\)?$/.test(frame)

/** What `complaints` threw, in its own words, and the line of the user's code that it came from, if that is known. */
export const thrown = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const frame = error.stack?.split("\n").find((line) => /^\s+at /.test(line) && !isOthers(line))
  const name = error.name === "Error" || error.name === "AssertionError" ? "" : `${error.name}: `
  return `${name}${error.message}${frame === undefined ? "" : `\n${frame}`}`
}
