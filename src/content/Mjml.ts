import type { Turn } from "#src/fibers/Turns.ts"
import { Context, type Effect, Schema } from "effect"

/** The source is not MJML, is too large, or takes too long to compile. `detail` is one sentence. */
export class MjmlRefused extends Schema.TaggedError<MjmlRefused>()("MjmlRefused", { detail: Schema.String }) {}

/** Limits on one compilation. */
export const limits = {
  /** Characters of the source. */
  source: 262_144,
  /** Characters of the HTML. */
  output: 1_048_576,
  /** The time in ms that a worker may take, from its first step to its last. */
  time: 5_000
} as const

/**
 * Compiles MJML to responsive HTML for mail clients, off the event loop. Includes and files are never read. Sources of
 * one `turn` wait for each other, and the turns go round: a send to many keeps no other mail waiting for long.
 */
export class Mjml extends Context.Service<Mjml, {
  readonly compile: (source: string, turn: Turn) => Effect.Effect<string, MjmlRefused>
}>()("tidings/Mjml") {}
