import type { Rendered } from "#schemas/Rendered.ts"
import type { NothingToSay, RenderFailed } from "#src/content/Content.ts"
import type { Called } from "#src/delivery/Provider.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Patience from "#src/store/Patience.ts"
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

/** Renders it. A compiler that has to be loaded first takes longer than a caller waits for the store. */
export const show = (
  { channel, provider }: Called,
  rendering: Given
): Effect.Effect<Shown> =>
  Effect.match(Patience.working(rendering), {
    onSuccess: (rendered) => ({ channel, provider, rendered, error: undefined }),
    onFailure: ({ detail }) => ({ channel, provider, rendered: undefined, error: detail })
  })

const patience = "10 seconds"

/** Renderings may take long, and the pipeline's stages wait for a store that is away: all of it ends in time. */
export const inTime = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
  Effect.timeoutOrElse(effect, {
    duration: patience,
    orElse: () => Effect.fail(new StoreUnavailable({ cause: `no answer in ${patience}` }))
  })
