import * as Listening from "#layers/postgres/notices/Listening.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import { Telling } from "#src/reports/webhooks/Telling.ts"
import { Effect, Layer } from "effect"

/** Wakes who tells webhooks when any node has committed something to tell, and after each (re)listen. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(
    Telling,
    ({ wake }) => Listening.make(Told.channel, "what webhooks are to be told", { began: wake, heard: () => wake })
  )
)
