import * as Listening from "#layers/postgres/notices/Listening.ts"
import { AudienceUpkeep } from "#src/people/AudienceUpkeep.ts"
import { Effect, Layer } from "effect"

/** Wakes the upkeep of audiences when any node has committed work for it, and after each (re)listen. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(
    AudienceUpkeep,
    ({ wake }) => Listening.make("tidings_audiences", "changed audiences", { began: wake, heard: () => wake })
  )
)
