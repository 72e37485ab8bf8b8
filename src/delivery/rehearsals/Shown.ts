import type { Rendered } from "#schemas/Rendered.ts"
import type { NothingToSay, RenderFailed } from "#src/content/Content.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Effect } from "effect"

/** What a provider would be given, or why it cannot be rendered for it. */
export interface Shown {
  readonly channel: string
  readonly provider: string
  readonly rendered: Rendered | undefined
  readonly error: string | undefined
}

/** A rendering that is still to be made. */
export type Given = Effect.Effect<Rendered, NothingToSay | RenderFailed>

export const show = (
  { channel, provider }: Pick<Candidate, "channel" | "provider">,
  rendering: Given
): Effect.Effect<Shown> =>
  Effect.match(rendering, {
    onSuccess: (rendered) => ({ channel, provider, rendered, error: undefined }),
    onFailure: ({ detail }) => ({ channel, provider, rendered: undefined, error: detail })
  })

const patience = "10 seconds"

/** The pipeline's stages wait for a store that is away; a caller gets `StoreUnavailable` in the end. */
export const inTime = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
  Effect.timeoutOrElse(effect, {
    duration: patience,
    orElse: () => Effect.fail(new StoreUnavailable({ cause: `no answer in ${patience}` }))
  })
