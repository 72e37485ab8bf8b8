import { type DeliveryError, Unavailable } from "#schemas/DeliveryError.ts"
import { Clock, Context, Duration, Effect, Exit, Layer, Schedule, Stream } from "effect"
import { CircuitBreaker } from "effect/persistence"

/** Failed calls in a row after which a provider is left alone. */
const tripAfter = 5

/** 30 s doubling to 5 min: shorter than the retry schedule's own waits, so that a lone message is never held up by it. */
const openFor = Schedule.min([Schedule.exponential("30 seconds"), Schedule.spaced("5 minutes")])

/** Sick providers that are remembered: recipients' own servers have circuits too, and some of them never get well. */
const remembered = 8_192

/** How soon the others look again while one call finds out whether the provider is well, in ms; later and later if that takes long. */
const lookAgainAfter = 5_000

/**
 * A circuit breaker per provider configuration keeps a dead vendor from eating timeouts (design.md §5). Only what speaks of the vendor's
 * health counts: a refused recipient is an answer like any other.
 */
export class Breakers extends Context.Service<Breakers, {
  /** Runs a call, or answers for it while the circuit is open: `Unavailable`, and when to come back. */
  readonly guard: <A>(key: string, call: Effect.Effect<A, DeliveryError>) => Effect.Effect<A, DeliveryError>
  /**
   * Epoch ms until which the provider is left alone, and while one call finds out whether it is well, when to look again; `undefined` while
   * its circuit is closed.
   */
  readonly openUntil: (key: string) => number | undefined
}>()("tidings/Breakers") {}

const isSick = (error: DeliveryError): boolean =>
  error._tag === "Unavailable" || error._tag === "RateLimited" || error._tag === "Unknown"

const isSickness = (exit: Exit.Exit<unknown, DeliveryError>): boolean =>
  Exit.isFailure(exit) && exit.cause.reasons.some((reason) => reason._tag !== "Fail" || isSick(reason.error))

export const layer = Layer.effect(
  Breakers,
  Effect.gen(function*() {
    const breaker = yield* CircuitBreaker.make({
      tripPolicy: CircuitBreaker.consecutive(tripAfter),
      openDuration: openFor
    })
    const clock = yield* Clock.Clock
    const open = new Map<string, number>()
    /** Since when one call finds out for the others whether the provider is well. To be refused here would cost them a try. */
    const probing = new Map<string, number>()
    /** Keys whose last call failed. The others have nothing to be remembered, and their calls go past the breaker. */
    const ailing = new Set<string>()
    const remember = (key: string) => {
      // Behind all others: this one was heard of last.
      ailing.delete(key)
      ailing.add(key)
      const [oldest] = ailing
      if (ailing.size <= remembered || oldest === undefined) return
      ailing.delete(oldest)
      open.delete(oldest)
    }
    yield* breaker.transitions.pipe(
      Stream.runForEach((transition) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (transition.to === "Open") open.set(transition.key, now + Duration.toMillis(transition.retryAfter))
          else if (transition.to === "Closed") open.delete(transition.key)
        })
      ),
      Effect.forkScoped
    )
    /** An open circuit lets one call in, and that is it. */
    const probe = <A>(key: string, call: Effect.Effect<A, DeliveryError>) =>
      Effect.suspend(() => {
        if (!open.has(key)) return call
        probing.set(key, clock.currentTimeMillisUnsafe())
        return Effect.ensuring(call, Effect.sync(() => probing.delete(key)))
      })
    const watched = <A>(key: string, call: Effect.Effect<A, DeliveryError>) =>
      breaker.execute(probe(key, call), {
        key,
        classify: (exit) => isSickness(exit) ? CircuitBreaker.failure() : CircuitBreaker.success
      }).pipe(
        Effect.catchTag("CircuitBreakerError", ({ reason }) =>
          new Unavailable({
            detail: "The provider failed too often and is left alone for a while",
            retryAfter: reason._tag === "CircuitOpen" ? Duration.toMillis(reason.retryAfter) : undefined
          }))
      )

    /** A circuit that nobody asked for an hour is forgotten open, and closed again without a word. */
    const recovered = (key: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        ailing.delete(key)
        if ((open.get(key) ?? now) <= now) open.delete(key)
      })

    return Breakers.of({
      guard: (key, call) =>
        ailing.has(key)
          ? Effect.onExit(watched(key, call), (exit) =>
            isSickness(exit) ? Effect.sync(() => remember(key)) : recovered(key))
          : Effect.catchCause(call, (cause) => {
            const exit = Exit.failCause(cause)
            if (!isSickness(exit))
              return exit
            remember(key)
            // Counted; an open circuit has no say in what became of a call that was made.
            return Effect.andThen(Effect.exit(watched(key, exit)), exit)
          }),
      openUntil: (key) => {
        const since = probing.get(key)
        if (since === undefined) return open.get(key)
        const now = clock.currentTimeMillisUnsafe()
        return now + Math.max(lookAgainAfter, now - since)
      }
    })
  })
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))
