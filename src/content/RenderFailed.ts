import { Schema } from "effect"

/** Content that cannot be rendered for a channel; `detail` is one sentence for the message's timeline. */
export class RenderFailed extends Schema.TaggedError<RenderFailed>()("RenderFailed", { detail: Schema.String }) {}
