import { serve } from "#test/layers/http/Server.ts"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"

/** The id of what was made. */
export const idOf = (answer: { readonly body: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(answer.body).id

export const refusal = (message: string) => ({ message, type: "invalid_request_error" })

export const section = {
  name: "Account",
  description: "d",
  has_custom_routing: true,
  routing_options: ["email", "push"]
}

export const topic = {
  name: "News",
  default_status: "OPTED_OUT",
  description: "t",
  routing_options: ["email"],
  allowed_preferences: ["snooze", "channel_preferences"],
  include_unsubscribe_header: true,
  topic_data: { any: [1, { deep: true }] }
}

export const epoch = "1970-01-01T00:00:00.000Z"
export const times = { created: epoch, updated: epoch, creator: "api", updater: "api" }

/** A section with a topic of each default. */
export const catalogue = Effect.gen(function*() {
  const served = yield* serve
  const { call } = served
  const sectionId = idOf(yield* call("POST", "/preferences/sections", { body: { name: "Account" } }))
  const path = `/preferences/sections/${sectionId}/topics`
  const made = Effect.fnUntraced(function*(status: string) {
    yield* TestClock.adjust("1 milli")
    return idOf(yield* call("POST", path, { body: { name: status, default_status: status } }))
  })
  return {
    ...served,
    sectionId,
    optedIn: yield* made("OPTED_IN"),
    optedOut: yield* made("OPTED_OUT"),
    required: yield* made("REQUIRED")
  }
})
