import type { Incident } from "#layers/testing/History.ts"

/**
 * - `crash`: a node dies as by SIGKILL, and is started again a while later.
 * - `freeze`: a node stops as by SIGSTOP, and later goes on with what it believed before.
 * - `rob`: the lock of a shard goes to another node while its owner still works.
 * - `leave`: a node stops in order, and is started again a while later.
 * - `jump`: the wall clock of all nodes is set forward or back.
 * - `outage`: the store refuses everything for a while.
 * - `lag`: each way to the store or back takes 0.1 to 3 s for a while. `all` does not draw it.
 */
export type Kind = Exclude<Incident["kind"], "lostAnswer" | "move">

export interface Faults {
  /** The kinds to draw from; one that is named twice is drawn twice as often. */
  readonly kinds: ReadonlyArray<Kind>
  /** The most faults that a world has, besides lost answers. Their number is drawn, from 0. */
  readonly atMost: number
  /** Each fault begins at a time drawn from the first `within` ms. */
  readonly within: number
  /** The probability that an answer of the store is lost after its commit. */
  readonly lostAnswers: number
  /**
   * The probability that a node to which a shard was given hands it over again, in order and at once, to another one:
   * as where nodes come and go. It is no fault. By default 0.
   */
  readonly moves?: number
  /**
   * The probability that a fault is aimed: once its time has come, it strikes the node that next calls a provider, while
   * that call is under way. Most calls are over in no time, and hardly a fault would meet one. By default 0.3.
   */
  readonly aimed?: number
  /** Of the faults that a seed draws, only those of these numbers come about, from 0; by default all. */
  readonly only?: ReadonlyArray<number>
}

export const none: Faults = { kinds: [], atMost: 0, within: 0, lostAnswers: 0 }

export const all: Faults = {
  kinds: ["crash", "crash", "freeze", "freeze", "rob", "leave", "jump", "outage"],
  atMost: 6,
  within: 60_000,
  lostAnswers: 0.003
}
