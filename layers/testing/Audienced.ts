import * as AudienceSteps from "#layers/memory/AudienceSteps.ts"
import * as Audiences from "#layers/memory/Audiences.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import * as Audience from "#src/people/Audiences.ts"
import * as Steps from "#src/people/AudienceSteps.ts"
import { type Context, Effect, Layer } from "effect"

/** Audiences, and what brings their members up to date: in memory, one step is enough. */
export interface Audienced {
  readonly audiences: Audience.Audiences["Service"]
  readonly advance: Steps.AudienceSteps["Service"]["advance"]
}

const layer = Layer.merge(Audiences.layer, AudienceSteps.layer)

/** Most worlds have no audience: this is for those in which one is written. */
export const make = (services: Context.Context<Shared>): Audienced =>
  Effect.runSync(
    Effect.gen(function*() {
      const audiences = yield* Audience.Audiences
      const { advance } = yield* Steps.AudienceSteps
      return { audiences, advance }
    }).pipe(Effect.provide(Layer.fresh(layer)), Effect.provideContext(services))
  )
