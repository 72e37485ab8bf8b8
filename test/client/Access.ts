import { ask, fetched, refusal, type Service } from "#test/client/Service.ts"
import * as Shape from "#test/client/Shape.ts"
import { assert, type Vitest } from "@effect/vitest"
import type Courier from "@trycourier/courier"
import { Effect } from "effect"

const preference = Shape.shaped<Courier.Users.Preferences.TopicPreference>({
  default_status: Shape.oneOf("OPTED_IN", "OPTED_OUT", "REQUIRED"),
  status: Shape.oneOf("OPTED_IN", "OPTED_OUT", "REQUIRED"),
  topic_id: Shape.text,
  topic_name: Shape.text,
  custom_routing: Shape.optional(Shape.listOf(Shape.text)),
  has_custom_routing: Shape.optional(Shape.flag)
})

/** A topic of the workspace's catalogue; this client has no methods for it. */
const topic = Effect.gen(function*() {
  const section = yield* fetched("POST", "/preferences/sections", { name: "News" })
  const made = yield* fetched("POST", `/preferences/sections/${section.body.id}/topics`, {
    name: "Weekly",
    default_status: "OPTED_IN"
  })
  assert.strictEqual(made.status, 201)
  return String(made.body.id)
})

export const access = (it: Vitest.MethodsNonLive<Service>) => {
  it.effect("users.preferences: updateOrCreateTopic, retrieveTopic, retrieve", () =>
    Effect.gen(function*() {
      const id = yield* topic
      const answer = yield* ask((client) =>
        client.users.preferences.updateOrCreateTopic(id, {
          user_id: "gil",
          topic: { status: "OPTED_OUT", has_custom_routing: true, custom_routing: ["email"] }
        })
      )
      assert.isString(answer.message)
      const found = yield* ask((client) => client.users.preferences.retrieveTopic(id, { user_id: "gil" }))
      assert.strictEqual(preference.assert(found.topic).status, "OPTED_OUT")
      const { items } = yield* ask((client) => client.users.preferences.retrieve("gil"))
      items.forEach(preference.assert)
      assert.include(items.map(({ topic_id: topicId }) => topicId), id)
      assert.strictEqual(
        yield* refusal((client) => client.users.preferences.retrieveTopic("pt_none", { user_id: "gil" })),
        404
      )
    }))

  it.effect("auth.issueToken: the token opens what its scopes name, and nothing else", () =>
    Effect.gen(function*() {
      const { token } = yield* ask((client) =>
        client.auth.issueToken({ scope: "user_id:hal read:user-tokens", expires_in: "2 hours" })
      )
      const { tokens } = yield* ask((client) => client.withOptions({ apiKey: token }).users.tokens.list("hal"))
      assert.deepStrictEqual(tokens, [])
      assert.include(
        [401, 403],
        yield* refusal((client) => client.withOptions({ apiKey: token }).users.tokens.list("somebody-else"))
      )
      assert.include([401, 403], yield* refusal((client) => client.withOptions({ apiKey: token }).brands.list()))
    }))

  it.effect("auditEvents: list, retrieve", () =>
    Effect.gen(function*() {
      const event = Shape.shaped<Courier.AuditEvents.AuditEvent>({
        actor: Shape.map,
        auditEventId: Shape.text,
        source: Shape.text,
        target: Shape.text,
        timestamp: Shape.iso,
        type: Shape.text
      })
      yield* ask((client) => client.lists.update("access.audited", { name: "Audited" }))
      yield* ask((client) => client.brands.create({ name: "Audited" }))
      const { results } = yield* ask((client) => client.auditEvents.list())
      assert.isAtLeast(results.length, 1)
      const [last] = results.map(event.assert)
      const found = yield* ask((client) => client.auditEvents.retrieve(last?.auditEventId ?? ""))
      assert.deepStrictEqual(found, last)
      assert.strictEqual(yield* refusal((client) => client.auditEvents.retrieve("nothing")), 404)
    }))
}
