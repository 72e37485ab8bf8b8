import { Context, type Effect, Schema } from "effect"

/** The source is no MJML, is too large, or takes too long; `detail` is one sentence. */
export class MjmlRefused extends Schema.TaggedError<MjmlRefused>()("MjmlRefused", { detail: Schema.String }) {}

/** What one source may use. */
export const limits = {
  /** Characters of the source. */
  source: 262_144,
  /** Characters of the HTML. */
  output: 1_048_576,
  /** Ms from a worker's first step to its last. */
  time: 5_000
} as const

/** Turns MJML into responsive HTML for mail clients, away from the event loop; includes and files are never read. */
export class Mjml extends Context.Service<Mjml, {
  readonly compile: (source: string) => Effect.Effect<string, MjmlRefused>
}>()("tidings/Mjml") {}
