import { begun, type Stage } from "#layers/providers/smtp/Fault.ts"
import { Latch } from "effect"

/** How far one message has come. The session that carries it writes this, and the timer (`watch`) reads it. */
export interface Progress {
  stage: Stage
  /** Nothing more may be written. */
  isCut: boolean
  /** Opens when the last byte of the message has been handed over and only the answer is missing. */
  readonly bodySent: Latch.Latch
}

export const make = (): Progress => ({
  stage: "pool",
  isCut: false,
  bodySent: Latch.makeUnsafe()
})

/**
 * Ends the transaction, and answers the stage that it had reached. No message data is sent afterwards, so what is
 * reported about the stage stays true.
 */
export const cut = (progress: Progress): Stage => {
  progress.isCut = true
  return progress.stage
}

/** Nothing of the message was sent, so it may go another way. */
export const untouched = (progress: Progress): boolean => !begun(progress.stage)
