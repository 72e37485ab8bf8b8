import { begun, type Stage } from "#layers/providers/smtp/Fault.ts"
import { Latch } from "effect"

/** How far one message has come: written by the session that carries it, read by whoever watches the clock. */
export interface Progress {
  stage: Stage
  /** Nothing more may be written. */
  isCut: boolean
  /** Open once the last byte of the message was handed over and only the answer is missing. */
  readonly bodySent: Latch.Latch
}

export const make = (): Progress => ({
  stage: "pool",
  isCut: false,
  bodySent: Latch.makeUnsafe()
})

/** Where the transaction ends: no message is begun afterwards, so that what is said about the stage stays true. */
export const cut = (progress: Progress): Stage => {
  progress.isCut = true
  return progress.stage
}

/** The message was not begun, and may go another way. */
export const untouched = (progress: Progress): boolean => !begun(progress.stage)
