import type { DeliveryError } from "#schemas/DeliveryError.ts"
import { RateGates } from "#src/delivery/attempts/RateGates.ts"
import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"

/** Failed calls in a row after which a provider is left alone. */
const tripAfter = 5

/**
 * 30 s doubling to 5 min: shorter than the retry schedule's own waits, so that a lone message is never held up by it.
 * In ms.
 */
const shortestOpen = 30_000
const longestOpen = 300_000

/**
 * The same of a provider that only takes no more for now, which is most often its limit of a second: left alone for
 * half a minute after each, it would take a twentieth of what it allows. In ms.
 */
const shortestLimited = 1_000
const longestLimited = 30_000

/** Sick providers that are remembered: recipients' own servers have circuits too, and some of them never get well. */
const remembered = 8_192

/** In ms, how soon other messages look again while one call probes the provider; the longer that takes, the later. */
const lookAgainAfter = 5_000

/**
 * A provider that names a longer wait than the first of these is left alone for it at once, up to the second
 * (reliability.md 2.6); after a shorter one, it would have begun to wait for the others. In ms.
 */
const shortestNamed = lookAgainAfter
const longestNamed = 3_600_000

/**
 * Runs the call itself, and hears what its outcome says of the provider's health. `since`: when it passed the provider's
 * rate gate (monotonic, ns).
 */
export type Watch = <A>(call: Effect.Effect<A, DeliveryError>, since: bigint) => Effect.Effect<A, DeliveryError>

/**
 * A circuit breaker per provider configuration keeps a dead vendor from eating timeouts (design.md §5). Only what
 * speaks of the vendor's health counts: a refused recipient, for good or for now, is an answer like any other.
 */
export class Breakers extends Context.Service<Breakers, {
  /**
   * Lets one message make a call, from the intent that it writes before to the outcome that it writes after, or answers
   * `undefined` while the circuit is open: nothing is written then, and no try lost. Once its time is over, an open
   * circuit lets in one message alone, to find out whether the provider is well.
   */
  readonly admit: <A, E, R>(
    key: string,
    attempt: (watch: Watch) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A | undefined, E, R>
  /**
   * Epoch ms until which the provider is left alone; while a call probes it, when to look again. `undefined` while its
   * circuit is closed.
   */
  readonly openUntil: (key: string) => number | undefined
}>()("tidings/Breakers") {}

/**
 * The circuit of a provider whose last call failed; a provider that is well has none. Times in monotonic ms: by a clock
 * that is set back, the provider would be left alone for as much longer.
 */
interface Circuit {
  /** Failed calls in a row; while the circuit is open, only probes count. */
  readonly failures: number
  /** Until when the provider is left alone; `undefined`: the circuit is closed. */
  readonly openUntil: number | undefined
  /** Since when a message probes the provider; `undefined`: none does. Meanwhile the others wait (`openUntil`). */
  readonly probedSince: number | undefined
}

/** What a call that failed says of its provider, in ms. */
interface Answer {
  /** The longest wait that the provider names, `longestNamed` at most. */
  readonly named: number
  /** How long its circuit is open at first, and at most. */
  readonly shortest: number
  readonly longest: number
}

/**
 * The fifth failure in a row opens the circuit; each that finds the provider still sick opens it for longer. A wait that
 * the provider names opens it at once.
 */
const failed = (circuit: Circuit | undefined, now: number, { longest, named, shortest }: Answer): Circuit => {
  const failures = (circuit?.failures ?? 0) + 1
  const counted = failures < tripAfter ? 0 : Math.min(longest, shortest * 2 ** (failures - tripAfter))
  const wait = Math.max(counted, named > shortestNamed ? Math.ceil(named) : 0)
  return { failures, openUntil: wait === 0 ? undefined : now + wait, probedSince: undefined }
}

/** Whether the provider may well take other recipients' messages. */
const isOfRecipient = (error: DeliveryError): boolean => "ofRecipient" in error && error.ofRecipient === true

const isSick = (error: DeliveryError): boolean =>
  (error._tag === "Unavailable" || error._tag === "RateLimited" || error._tag === "Unknown") && !isOfRecipient(error)

const isSickness = ({ reasons }: Cause.Cause<DeliveryError>): boolean =>
  reasons.some((reason) => reason._tag === "Die" || (reason._tag === "Fail" && isSick(reason.error)))

const namedIn = ({ reasons }: Cause.Cause<DeliveryError>): number =>
  Math.min(
    longestNamed,
    reasons.reduce(
      (longest, reason) =>
        reason._tag === "Fail" && "retryAfter" in reason.error
          ? Math.max(longest, reason.error.retryAfter ?? 0)
          : longest,
      0
    )
  )

/** The provider is well, and takes no more for now. */
const isLimit = ({ reasons }: Cause.Cause<DeliveryError>): boolean =>
  reasons.every((reason) => reason._tag === "Fail" && reason.error._tag === "RateLimited")

const answerOf = (cause: Cause.Cause<DeliveryError>): Answer =>
  isLimit(cause)
    ? { named: namedIn(cause), shortest: shortestLimited, longest: longestLimited }
    : { named: namedIn(cause), shortest: shortestOpen, longest: longestOpen }

export const layer = Layer.effect(
  Breakers,
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
    const gates = yield* RateGates
    /** In the order of their last failure, so that the oldest is dropped first. */
    const circuits = new Map<string, Circuit>()
    const monotonic = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

    const fail = (key: string, cause: Cause.Cause<DeliveryError>) => {
      const circuit = failed(circuits.get(key), monotonic(), answerOf(cause))
      circuits.delete(key)
      circuits.set(key, circuit)
      const [oldest] = circuits.keys()
      if (circuits.size > remembered && oldest !== undefined) circuits.delete(oldest)
    }

    /**
     * Counts what a call says of its provider; one that was interrupted says nothing. Calls that were refused for now
     * while others were count once: all are slowed down for it.
     */
    const heard = (key: string, since: bigint, exit: Exit.Exit<unknown, DeliveryError>) => {
      if (Exit.isFailure(exit) && isSickness(exit.cause)) {
        const named = namedIn(exit.cause)
        const isLimited = isLimit(exit.cause)
        const isNews = !isLimited && named === 0 || gates.refused(key, since, named)
        if (isNews || !isLimited || named > shortestNamed) fail(key, exit.cause)
      } else if (Exit.isSuccess(exit) || !Cause.hasInterruptsOnly(exit.cause)) {
        gates.taken(key, since)
        circuits.delete(key)
      }
    }

    /**
     * Watches a call that was let in while the circuit was closed. If the circuit opens meanwhile, the call's outcome
     * neither changes nor counts. Its success counts whatever was known when it began: many calls are under way at
     * once, and failures among successes are no row. A call to a provider that is well costs no more than a look.
     */
    const watch = (key: string): Watch => (call, since) =>
      Effect.onExit(call, (exit) => {
        if (circuits.get(key)?.openUntil === undefined) heard(key, since, exit)
        return Effect.void
      })

    /**
     * Lets in the one message that finds out whether the provider is well. Not to be interrupted between the note that
     * it does and what takes the note back: with a note of a message that makes no call, the provider would be left
     * alone for ever.
     */
    const probe = <A, E, R>(key: string, circuit: Circuit, attempt: (watch: Watch) => Effect.Effect<A, E, R>) =>
      Effect.uninterruptibleMask((restore) => {
        const probed = { ...circuit, probedSince: monotonic() }
        circuits.set(key, probed)
        const watched: Watch = (call, since) =>
          Effect.onExit(call, (exit) => Effect.sync(() => heard(key, since, exit)))
        return Effect.ensuring(
          restore(Effect.suspend(() => attempt(watched))),
          Effect.sync(() => {
            if (circuits.get(key) === probed) circuits.set(key, circuit)
          })
        )
      })

    return Breakers.of({
      admit: (key, attempt) =>
        Effect.suspend(() => {
          const circuit = circuits.get(key)
          if (circuit?.openUntil === undefined) return attempt(watch(key))
          const isOver = circuit.openUntil <= monotonic() && circuit.probedSince === undefined
          return isOver ? probe(key, circuit, attempt) : Effect.succeed(undefined)
        }),
      openUntil: (key) => {
        const circuit = circuits.get(key)
        if (circuit?.openUntil === undefined) return undefined
        const now = monotonic()
        const wait = circuit.probedSince === undefined
          ? circuit.openUntil - now
          : Math.max(lookAgainAfter, now - circuit.probedSince)
        return clock.currentTimeMillisUnsafe() + wait
      }
    })
  })
)
