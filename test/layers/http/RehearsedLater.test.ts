import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const DryRun = Schema.decodeUnknownEffect(Schema.Struct({
  results: Schema.Array(Schema.Struct({
    status: Schema.String,
    reason: Schema.optionalKey(Schema.String),
    due_at: Schema.optionalKey(Schema.Number)
  }))
}))

const Id = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.String }))

const hour = 3_600_000
const iso = (at: number) => new Date(at).toISOString()

const start = Effect.gen(function*() {
  const { call } = yield* serve
  const section = yield* Id((yield* call("POST", "/preferences/sections", { body: { name: "News" } })).body)
  const news = { name: "News", default_status: "OPTED_IN" }
  const topic = yield* Id((yield* call("POST", `/preferences/sections/${section.id}/topics`, { body: news })).body)
  const snooze = Effect.fnUntraced(function*(rule: object) {
    const notifications = { [topic.id]: { rules: [{ type: "snooze", ...rule }] } }
    const { status } = yield* call("PUT", "/preferences/ada", { body: { notifications } })
    assert.strictEqual(status, 200)
  })
  const foretold = Effect.fnUntraced(function*(more: object) {
    const body = message({ user_id: "ada", email: "ada@example.com" }, {
      preferences: { subscription_topic_id: topic.id },
      ...more
    })
    const { results } = yield* DryRun(
      (yield* call("POST", "/send", { headers: { "tidings-dry-run": "true" }, body })).body
    )
    return results[0]
  })
  return { snooze, foretold }
})

/** The clock of these tests stands at 0. */
describe("A dry run of what goes later", () => {
  it.effect("asks the preferences as they hold when the message is due", () =>
    Effect.gen(function*() {
      const { foretold, snooze } = yield* start
      yield* snooze({ until: iso(hour) })
      assert.deepInclude(yield* foretold({}), { status: "UNDELIVERABLE", reason: "UNSUBSCRIBED" })
      assert.deepInclude(yield* foretold({ delay: { duration: hour } }), { status: "SENT", due_at: hour })
      assert.deepInclude(yield* foretold({ delay: { until: "Jan 1 01:00-02:00", timezone: "UTC" } }), {
        status: "SENT",
        due_at: hour
      })
      yield* snooze({ start: iso(hour), until: iso(3 * hour) })
      assert.deepInclude(yield* foretold({}), { status: "SENT" })
      for (const delay of [{ duration: 2 * hour }, { until: "Jan 1 02:00-02:30" }]) {
        const refused = { status: "UNDELIVERABLE", reason: "UNSUBSCRIBED", due_at: 2 * hour }
        assert.deepInclude(yield* foretold({ delay }), refused)
      }
    }))

  it.effect("tells when the message is due also where it ends then without a provider", () =>
    Effect.gen(function*() {
      const { foretold } = yield* start
      const unmapped = { template: "none", content: undefined }
      for (const delay of [{ duration: 2 * hour }, { until: "Jan 1 02:00-02:30" }]) {
        assert.deepInclude(yield* foretold({ ...unmapped, delay }), { status: "UNMAPPED", due_at: 2 * hour })
      }
    }))
})
