import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/**
 * Work that is due and not done. `depth` counts up to `counted` rows and no further. `oldestDueMs` is epoch ms; absent
 * if nothing is due.
 */
export interface Backlog {
  readonly depth: number
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
