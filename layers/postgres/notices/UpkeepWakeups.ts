import * as Listening from "#layers/postgres/notices/Listening.ts"
import { AudienceUpkeep } from "#src/people/AudienceUpkeep.ts"
import { Telling } from "#src/reports/webhooks/Telling.ts"
import { Effect, Layer } from "effect"

/** On it, nodes hear of work for audiences, and for webhooks (`webhooks`): each channel takes a session for good. */
export const channel = "tidings_audiences"

/** The notice that webhooks are to be told something; any other is of audiences. */
export const webhooks = "webhooks"

/** Wakes the upkeep of audiences, and who tells webhooks, when any node has committed work for them, and after each (re)listen. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const audiences = yield* AudienceUpkeep
  const telling = yield* Telling
  yield* Listening.make(channel, "changed audiences, and of what webhooks are to be told", {
    began: Effect.andThen(audiences.wake, telling.wake),
    heard: (notice) => notice === webhooks ? telling.wake : audiences.wake
  })
}))
