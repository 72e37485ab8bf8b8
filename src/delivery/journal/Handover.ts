import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import { Context, Effect, Layer } from "effect"

/** What the engine of this process offers to the journal of this process. */
export interface Receiver {
  /** Whether this process owns the shard now. */
  readonly owns: (shard: number) => boolean
  /**
   * Takes messages just committed, in the order of acceptance. Never waits and never fails: what is not taken stays a
   * due row.
   */
  readonly offer: (messages: ReadonlyArray<OpenMessage>) => Effect.Effect<void>
  /** A request to many was just committed: its owner may be here. */
  readonly stir: Effect.Effect<void>
  /**
   * There may be owned rows to read that were not offered: the answer of a flush was lost and a repeat of the call has
   * found its rows, or an event has changed when a message is due.
   */
  readonly behind: Effect.Effect<void>
}

/**
 * The short way from a commit to the recipient's mailbox within one process. A process without an engine (or one that
 * is starting) owns nothing, and the rows it writes wait for their owner.
 */
export class Handover extends Context.Service<Handover, {
  readonly owns: Receiver["owns"]
  readonly offer: Receiver["offer"]
  readonly stir: Receiver["stir"]
  readonly behind: Receiver["behind"]
  /** Connects the engine; scoped by the caller, who passes `undefined` at the end. */
  readonly connect: (receiver: Receiver | undefined) => Effect.Effect<void>
}>()("tidings/Handover") {}

export const layer: Layer.Layer<Handover> = Layer.sync(Handover, () => {
  let current: Receiver | undefined
  return Handover.of({
    owns: (shard) => current?.owns(shard) ?? false,
    offer: (messages) => current?.offer(messages) ?? Effect.void,
    stir: Effect.suspend(() => current?.stir ?? Effect.void),
    behind: Effect.suspend(() => current?.behind ?? Effect.void),
    connect: (receiver) =>
      Effect.sync(() => {
        current = receiver
      })
  })
})
