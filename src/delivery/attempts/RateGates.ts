import * as Crowd from "#src/delivery/attempts/Crowd.ts"
import * as GateReports from "#src/delivery/attempts/GateReports.ts"
import * as RateGate from "#src/delivery/attempts/RateGate.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import * as Turns from "#src/fibers/Turns.ts"
import { Clock, Context, Effect, Latch, Layer } from "effect"

/**
 * A message that would wait in this node's hands for longer is sent away, in ms: one behind others of its turn, and one
 * that is their first, since there is always to be one. Neither waits for longer than the latter.
 */
const patience = 2_000
const longest = 10_000

/** Providers with a gate that are remembered. */
const remembered = 8_192

/** What becomes of an attempt that comes to a gate. */
export interface Attempt<A> extends Slots.Waits<A> {
  /** Since when its message is due, in epoch ms: who is due for longer is let through sooner. */
  readonly since: number
  /** Which provider configuration it is made to; `undefined`: a server of the recipient's or the message's own. */
  readonly named: () => GateReports.Named | undefined
  /**
   * Goes on with a slot of the provider's. Asked for behind the gate: who waits there holds none, which those who wait at
   * other gates of the same configuration might need, and is counted, so that who comes after it is sent away in time.
   */
  readonly slot: (next: (waited: boolean) => Effect.Effect<A>) => Effect.Effect<A>
  /** Whether there is one at once. */
  readonly hasSlot: Effect.Effect<boolean>
  /** `passedAt`: when it was let through (monotonic, ns). `waited`: not at once, and the message may have changed. */
  readonly begin: (passedAt: bigint, waited: boolean) => Effect.Effect<A>
  /**
   * It would wait for too long, and may come back in so many ms. `comesBack`: to be called if it is to, and does not go
   * elsewhere instead; the next one's wait is longer then.
   */
  readonly sentAway: (wait: number, comesBack: () => void) => Effect.Effect<A>
}

/**
 * The rate gates of providers that have said that they take no more for now (reliability.md 2.6). One that never said so
 * has none: all that most calls pay is a look. Keys are those of the circuits.
 */
export class RateGates extends Context.Service<RateGates, {
  /**
   * Makes an attempt once the provider's gate lets it and there is a slot. What waits has no intent yet, and waits by
   * turns (`Slots`).
   */
  readonly through: <A>(key: string, message: Slots.Waiting, attempt: Attempt<A>) => Effect.Effect<A>
  /**
   * Hears that a call which was let through at `since` was refused for now, and for how many ms the provider wants to be
   * left alone. Answers whether that is news, or said by another refusal before.
   */
  readonly refused: (key: string, since: bigint, named: number) => boolean
  /** Hears that a call which was let through at `since` was taken. */
  readonly taken: (key: string, since: bigint) => void
  /** Measures what operators are told in gauges. */
  readonly measure: Effect.Effect<void>
}>()("tidings/RateGates") {}

type Next<A> = Attempt<A>["begin"]

/** The gate of one provider. */
interface Gate {
  readonly pace: RateGate.RateGate
  /** For the one in front, who waits until the next call may begin. */
  readonly front: Turns.Turns
  readonly crowd: Crowd.Crowd
  /** Whether operators were told of it. */
  isTold: boolean
}

const millisOf = (nanos: bigint): number => Number(nanos / 1_000n) / 1_000

export const layer = Layer.effect(
  RateGates,
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
    /** In the order in which they were made, so that the oldest is dropped first. */
    const gates = new Map<string, Gate>()
    /** Those that somebody waits at. */
    const crowded = new Set<Gate>()
    const nanos = () => clock.monotonicTimeNanosUnsafe()
    const now = () => millisOf(nanos())
    const reports = yield* GateReports.make(now)

    const gateOf = (key: string): Gate | undefined => {
      const gate = gates.get(key)
      if (gate === undefined || gate.pace.unusedAt() > now()) return gate
      gates.delete(key)
      return undefined
    }

    const open = (key: string, named: number) => {
      const pace = RateGate.make(now(), named)
      gates.set(key, { pace, front: Turns.make(1), crowd: Crowd.make(), isTold: false })
      const [oldest] = gates.keys()
      if (gates.size > remembered && oldest !== undefined) gates.delete(oldest)
    }

    /** If there is no slot, that calls wait here proves nothing: more might be taken. */
    const pass = (gate: Gate, hasSlot: Effect.Effect<boolean>): Effect.Effect<void> =>
      Effect.suspend(() => {
        const wait = gate.pace.nextAt() - now()
        if (wait > 0) return Effect.andThen(Effect.sleep(Math.ceil(wait)), pass(gate, hasSlot))
        return Effect.map(hasSlot, (has) => gate.pace.pass(now(), has))
      })

    /** Whether there is room at a gate for one more. Who is due for longer gets that of who is due for the shortest time. */
    const hasRoom = ({ crowd, pace }: Gate, turn: Turns.Turn, since: number): boolean => {
      const wait = pace.nextAt() - now()
      if (wait > longest) return false
      const limit = crowd.before(turn) > 0 ? patience : longest
      if (wait + 1_000 * crowd.ahead(turn) / pace.rate() <= limit) return true
      const youngest = crowd.youngest(turn)
      if (youngest === undefined || youngest.since <= since) return false
      youngest.makeRoom()
      return true
    }

    const queued = <A>(
      gate: Gate,
      message: Slots.Waiting,
      { handedOver, hasSlot, left, sentAway, since, waits }: Attempt<A>,
      next: Next<A>
    ): Effect.Effect<A> => {
      const { crowd, pace } = gate
      const turn = Slots.turnOf(message)
      const away = Effect.suspend(() => {
        const at = pace.backAt(now(), turn.lane, crowded.size)
        return sentAway(at - now(), () => pace.comesBack(turn.lane, at))
      })
      if (!hasRoom(gate, turn, since)) return away
      let leave = () => {}
      const came = Effect.suspend(() => {
        const madeRoom = Latch.makeUnsafe()
        const waiter: Crowd.Waiter = {
          turn,
          since,
          makeRoom: () => {
            leave()
            Latch.openUnsafe(madeRoom)
          }
        }
        leave = () => {
          crowd.delete(waiter)
          if (crowd.total() === 0) crowded.delete(gate)
        }
        crowd.add(waiter)
        crowded.add(gate)
        return Effect.andThen(
          waits,
          Effect.raceAllFirst([
            Effect.map(gate.front.inTurn(turn)(pass(gate, hasSlot)), () => next(nanos(), true)),
            Effect.as(Effect.sleep(longest), away),
            Effect.as(madeRoom.await, away),
            Effect.as(handedOver, left)
          ])
        )
      })
      return Effect.flatten(Effect.ensuring(came, Effect.sync(() => leave())))
    }

    const comes = <A>(
      gate: Gate,
      message: Slots.Waiting,
      attempt: Attempt<A>,
      next: Next<A>
    ): Effect.Effect<A> => {
      const { crowd, pace } = gate
      if (crowd.total() > 0 || pace.nextAt() > now()) return queued(gate, message, attempt, next)
      pace.pass(now(), false)
      return next(nanos(), false)
    }

    /** Goes on once the gate lets it. */
    const passing = <A>(gate: Gate, message: Slots.Waiting, attempt: Attempt<A>, next: Next<A>): Effect.Effect<A> => {
      if (gate.isTold) return comes(gate, message, attempt, next)
      gate.isTold = true
      const named = attempt.named()
      const told = named === undefined ? Effect.void : reports.opened(gate, named)
      return Effect.andThen(told, Effect.suspend(() => comes(gate, message, attempt, next)))
    }

    const find = (key: string): Gate | undefined => gates.size === 0 ? undefined : gateOf(key)

    return RateGates.of({
      through: (key, message, attempt) =>
        Effect.suspend(() => {
          const { begin, slot } = attempt
          const gate = find(key)
          if (gate !== undefined) {
            return passing(
              gate,
              message,
              attempt,
              (passedAt, waited) => slot((again) => begin(passedAt, waited || again))
            )
          }
          return slot((waited) => {
            // The gate may have been opened meanwhile, and many wait for a slot.
            const opened = waited ? find(key) : undefined
            return opened === undefined
              ? begin(nanos(), waited)
              : passing(opened, message, attempt, (passedAt) => begin(passedAt, true))
          })
        }),
      refused: (key, since, named) => {
        const gate = gateOf(key)
        if (gate !== undefined) return gate.pace.refused(now(), millisOf(since), named)
        open(key, named)
        return true
      },
      taken: (key, since) => {
        if (gates.size > 0) gates.get(key)?.pace.taken(millisOf(since))
      },
      measure: reports.measure
    })
  })
)
