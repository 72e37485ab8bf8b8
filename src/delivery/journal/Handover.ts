import type { Lane, OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Pace from "#src/delivery/journal/Pace.ts"
import { Context, Effect, Layer, type Scope } from "effect"

/**
 * With more steps of transactional messages waiting for their commit, what is about to be accepted waits: the database
 * is the bottleneck, and what it accepts meanwhile is delivered later. Measured (`deliver`): without, acceptance ran
 * ahead of the deliveries until the room of the engine was full, and a message took an eighth more processor time, since
 * most outlived the garbage collector's nursery. What waits for a slow provider waits for no commit, and bulk does not
 * count: who sends to one person is not held up by a fan-out.
 */
const enoughSteps = 384

/** What an engine offers to the journal of its process. */
export interface Receiver {
  /** Whether it owns the shard now. */
  readonly owns: (shard: number) => boolean
  /** Waits a moment for a busy engine (`Pace`): what is about to be accepted goes at the engine's pace. */
  readonly room: Effect.Effect<void>
  /**
   * Takes messages just committed, in the order of acceptance, whoever owns their shards. Never fails: what is not
   * taken stays a due row.
   */
  readonly offer: (messages: ReadonlyArray<OpenMessage>) => Effect.Effect<void>
  /** A request to many was just committed: its owner may be here. */
  readonly stir: Effect.Effect<void>
  /**
   * There may be owned rows of these lanes to read that were not offered: the answer of a flush was lost and a repeat
   * of the call has found its rows, or an event has changed when a message is due.
   */
  readonly behind: (lanes: ReadonlyArray<Lane>) => Effect.Effect<void>
}

/**
 * The short way from a commit to the recipient's mailbox within one process. A process without an engine (or whose
 * engine is starting) owns nothing, and the rows it writes wait for their owner.
 */
export class Handover extends Context.Service<
  Handover,
  Receiver & {
    /** A step of a message of this lane waits for its commit. */
    readonly stepCame: (lane: Lane) => void
    /** It waits no longer: it is written, or has failed. */
    readonly stepLeft: (lane: Lane) => void
    /** Connects an engine until the scope closes. */
    readonly connect: (receiver: Receiver) => Effect.Effect<void, never, Scope.Scope>
  }
>()("tidings/Handover") {}

export const layer: Layer.Layer<Handover> = Layer.sync(Handover, () => {
  const receivers = new Set<Receiver>()
  const steps = Pace.make(enoughSteps)
  const of = (lane: Lane) => lane === "transactional" ? 1 : 0
  const each = (tell: (receiver: Receiver) => Effect.Effect<void>) =>
    Effect.suspend(() => Effect.forEach(receivers, tell, { discard: true }))
  return Handover.of({
    owns: (shard) => receivers.values().some(({ owns }) => owns(shard)),
    room: Effect.andThen(steps.room, each(({ room }) => room)),
    stepCame: (lane) => steps.add(of(lane)),
    stepLeft: (lane) => steps.remove(of(lane)),
    offer: (messages) => each(({ offer }) => offer(messages)),
    stir: each(({ stir }) => stir),
    behind: (lanes) => each(({ behind }) => behind(lanes)),
    connect: (receiver) =>
      Effect.acquireRelease(
        Effect.sync(() => void receivers.add(receiver)),
        () => Effect.sync(() => receivers.delete(receiver))
      )
  })
})
