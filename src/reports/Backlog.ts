import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/**
 * What messages that are not due wait for: the time that their sender said, another try, or the provider's word of one
 * that was taken.
 */
export const waits = ["delay", "retry", "escalation"] as const
export type Wait = typeof waits[number]

/**
 * Work that is not done. `depth` is what is due of it, `waiting` what is not yet, `requests` the requests to many that
 * still become messages or wait to. All count up to `counted` rows and no further; of what waits, what is due next.
 * `oldestDueMs` is epoch ms; absent if nothing is due.
 */
export interface Backlog {
  readonly depth: number
  readonly waiting: Readonly<Record<Wait, number>>
  readonly requests: number
  readonly counted: number
  readonly oldestDueMs: number | undefined
}

/** What an operator watches. Cheap enough to be asked every few seconds. */
export class Backlogs extends Context.Service<Backlogs, {
  readonly measure: (now: number) => Effect.Effect<Backlog, StoreUnavailable>
  /** Whether the store takes writes, if it answers. */
  readonly isWritable: Effect.Effect<boolean, StoreUnavailable>
  /** Whether the last writes found room on the disk. */
  readonly hasRoom: Effect.Effect<boolean>
  /** Whether another session's lock keeps messages from being written. Waits up to a second for it. */
  readonly isLocked: Effect.Effect<boolean, StoreUnavailable>
}>()("tidings/Backlogs") {}
