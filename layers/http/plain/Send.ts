import type { Answer } from "#src/access/Idempotency.ts"

/** A `POST /send` as its connection brings it, and the ways to answer it, of which one is taken, once. */
export interface Send {
  /** As Node lists them: name, value, name, value. */
  readonly rawHeaders: ReadonlyArray<string>
  /** Calls `done` with the whole body, of so many bytes as were declared. A sender who breaks off is owed no answer. */
  readonly read: (length: number, done: (body: Uint8Array) => void) => void
  /** Whether nobody waits for an answer: the sender has broken off, or was cut off. */
  readonly isGone: () => boolean
  /** The connection ends with the answer if it is its `last`. */
  readonly answer: (answer: Answer, last?: "last") => void
  /** Leaves it to the whole way, which answers false if nobody is there any more. */
  readonly others: () => boolean
}

/** Takes a send in order to answer it. One that is not taken goes the whole way. */
export type Take = (send: Send) => boolean

/** The route of all of them. */
export const route = "/send"
