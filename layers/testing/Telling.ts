import type { Call } from "#layers/testing/History.ts"
import type { Scope } from "#schemas/Scope.ts"

/**
 * The record of one call by the server that was told of an event by it (`Options.listeners`). Times in ms since the world
 * began, except `wall`.
 */
export interface Telling {
  readonly number: number
  readonly node: string
  readonly listener: string
  readonly scope: Scope
  /** What signs for the listener. */
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly calledAt: number
  /** The wall clock at `calledAt`, in epoch ms. */
  readonly wall: number
  /** Whether the listener took it. */
  taken: boolean
  /** The outcome that the node learned, if it was alive; as of a provider's call. */
  heard: Call["heard"]
  /** How long the answer asked the node to wait before it tells more, in ms. */
  retryAfter: number | undefined
  heardAt: number | undefined
}
