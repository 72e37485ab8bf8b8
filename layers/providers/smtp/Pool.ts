import type { Guard } from "#layers/providers/smtp/Dial.ts"
import type { Endpoint } from "#layers/providers/smtp/Endpoint.ts"
import * as Guests from "#layers/providers/smtp/Guests.ts"
import { type Fault, silent } from "#layers/providers/smtp/Fault.ts"
import { type Progress, untouched } from "#layers/providers/smtp/Progress.ts"
import * as Session from "#layers/providers/smtp/Session.ts"
import * as Now from "#src/fibers/Now.ts"
import { Effect, Exit, Semaphore } from "effect"

export interface Limits {
  readonly connections: number
  readonly messagesPerConnection: number
  /** In ms. */
  readonly idleTimeout: number
  /** In ms; for the whole opening of a session. */
  readonly greetingTimeout: number
}

/** Of how many servers that messages name all connections may be open at a time. */
const guestsTimes = 16

interface Parked {
  readonly session: Session.Session
  readonly sent: number
  /** Monotonic, in ms. */
  readonly since: number
}

/** The server had closed the session before it heard of this message: that is no answer to it, and not its fault. */
const isStale = (fault: Fault): boolean =>
  fault._tag === "Silent"
    ? fault.stage === "mail"
    : fault._tag === "Refused" && fault.stage === "mail" && fault.code === 421

/** A pool of sessions with one server, kept open between messages. All are closed with the scope. */
export const make = Effect.fnUntraced(function*(guard: Guard, endpoint: Endpoint, limits: Limits) {
  const scope = yield* Effect.scope
  const permits = yield* Semaphore.make(limits.connections)
  /** Each server that messages name has permits of its own, so that a slow one holds up nobody else's messages. */
  const guests = Guests.make(() => Semaphore.makeUnsafe(limits.connections))
  const allGuests = yield* Semaphore.make(guestsTimes * limits.connections)
  /** Oldest first. */
  const parked: Array<Parked> = []
  let reaping = false

  yield* Effect.addFinalizer(() =>
    Effect.forEach(parked.splice(0), ({ session }) => session.quit, { concurrency: "unbounded", discard: true })
  )

  /**
   * Opens a session within the time limit. A server that accepts connections but says nothing counts as down, so that
   * the message can be sent another way.
   */
  const open = (to: Endpoint, progress: Progress): Effect.Effect<Session.Session, Fault> =>
    Session.open(guard, to, progress).pipe(
      Effect.timeoutOrElse({
        duration: limits.greetingTimeout,
        orElse: () => Effect.fail(silent(progress.stage, "deadline"))
      })
    )

  const retire = (session: Session.Session) => Effect.forkIn(session.quit, scope)

  /** Closes idle sessions. It runs only while sessions are parked. */
  const reap = Effect.gen(function*() {
    while (parked.length > 0) {
      yield* Effect.sleep(limits.idleTimeout)
      const now = yield* Now.monotonicMillis
      const first = parked.findIndex(({ since }) => now - since < limits.idleTimeout)
      const tired = parked.splice(0, first === -1 ? parked.length : first)
      yield* Effect.forEach(tired, ({ session }) => session.quit, { concurrency: "unbounded", discard: true })
    }
  }).pipe(Effect.ensuring(Effect.sync(() => {
    reaping = false
  })))

  const park = Effect.fnUntraced(function*(session: Session.Session, sent: number) {
    if (!session.isAlive()) return session.close()
    if (sent >= limits.messagesPerConnection) {
      yield* retire(session)
      return
    }
    parked.push({ session, sent, since: yield* Now.monotonicMillis })
    if (reaping) return
    reaping = true
    yield* Effect.forkIn(reap, scope)
  })

  const take = (): Parked | undefined => {
    for (let last = parked.pop(); last !== undefined; last = parked.pop()) {
      if (last.session.isAlive()) return last
      last.session.close()
    }
    return undefined
  }

  /**
   * Runs `use` on a session. Afterwards the session is returned to the pool if its answer leaves it usable, and closed
   * otherwise.
   */
  const over = <A>(
    acquire: Effect.Effect<Parked, Fault>,
    use: (session: Session.Session) => Effect.Effect<A, Fault>
  ): Effect.Effect<A, Fault> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(acquire), ({ sent, session }) =>
        restore(use(session)).pipe(Effect.onExit((exit) => {
          const answered = Exit.isSuccess(exit)
            || exit.cause.reasons.every((reason) => reason._tag === "Fail" && reason.error._tag === "Refused")
          return answered ? park(session, sent + 1) : Effect.sync(session.close)
        })))
    )

  /**
   * Runs `use` on a session that no other message shares meanwhile. If a pooled session turns out to have been dead
   * before it heard of the message, it is replaced, once, by a fresh one: it is proved that nothing was sent.
   */
  const withSession = <A>(
    progress: Progress,
    use: (session: Session.Session) => Effect.Effect<A, Fault>
  ): Effect.Effect<A, Fault> => {
    const fresh = Effect.suspend(() =>
      over(
        Effect.map(open(endpoint, progress), (session): Parked => ({ session, sent: 0, since: 0 })),
        use
      )
    )
    return permits.withPermit(Effect.suspend(() => {
      const kept = take()
      if (kept === undefined) return fresh
      progress.stage = "mail"
      const { session } = kept
      const cleaned = session.isDirty() ? Effect.andThen(session.reset, use(session)) : use(session)
      return over(Effect.succeed(kept), () => cleaned).pipe(
        Effect.catchIf((fault) => isStale(fault) && untouched(progress) && !progress.isCut, () => fresh)
      )
    }))
  }

  /** Runs `use` on a session with another server of this name, for this message alone. */
  const withGuest = <A>(
    name: string,
    elsewhere: Endpoint,
    progress: Progress,
    use: (session: Session.Session) => Effect.Effect<A, Fault>
  ): Effect.Effect<A, Fault> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        restore(open(elsewhere, progress)),
        (session) => restore(use(session)).pipe(Effect.ensuring(retire(session)))
      )
    ).pipe(allGuests.withPermit, guests(name).withPermit)

  return { withSession, withGuest }
})
