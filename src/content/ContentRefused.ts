import { Effect, Schema } from "effect"

/** A template's content may not be stored, or not go live: 400. `path`: the place in the template. */
export class ContentRefused extends Schema.TaggedError<ContentRefused>()("ContentRefused", {
  path: Schema.String,
  detail: Schema.String
}) {}

/** The same for a template that a request has at `place`. */
export const inside = (place: string) => <A, E, R>(write: Effect.Effect<A, E | ContentRefused, R>) =>
  Effect.mapError(write, (error) =>
    error instanceof ContentRefused
      ? new ContentRefused({ path: `${place}.${error.path}`, detail: error.detail })
      : error)
