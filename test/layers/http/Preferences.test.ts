import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"

const idOf = (answer: { readonly body: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(answer.body).id

const refusal = (message: string) => ({ message, type: "invalid_request_error" })

const section = { name: "Account", description: "d", has_custom_routing: true, routing_options: ["email", "push"] }

const topic = {
  name: "News",
  default_status: "OPTED_OUT",
  description: "t",
  routing_options: ["email"],
  allowed_preferences: ["snooze", "channel_preferences"],
  include_unsubscribe_header: true,
  topic_data: { any: [1, { deep: true }] }
}

const epoch = "1970-01-01T00:00:00.000Z"
const times = { created: epoch, updated: epoch, creator: "api", updater: "api" }

/** A section with a topic of each default. */
const catalogue = Effect.gen(function*() {
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

describe("The preference catalogue", () => {
  it.effect("sections are created, read, listed, replaced whole and archived", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const created = yield* call("POST", "/preferences/sections", { body: section })
      assert.strictEqual(created.status, 201)
      const id = idOf(created)
      const expected = { id, ...section, topics: [], created: epoch, creator: "api" }
      assert.deepStrictEqual(created.body, expected)
      assert.deepStrictEqual((yield* call("GET", `/preferences/sections/${id}`)).body, expected)
      const bare = { id, name: "B", has_custom_routing: false, routing_options: [], topics: [], ...times }
      const replaced = yield* call("PUT", `/preferences/sections/${id}`, { body: { name: "B", description: null } })
      assert.deepStrictEqual([replaced.status, replaced.body], [200, bare])
      assert.deepStrictEqual((yield* call("GET", "/preferences/sections")).body, { results: [bare] })
      const archived = yield* call("DELETE", `/preferences/sections/${id}`)
      assert.deepStrictEqual([archived.status, archived.text], [204, ""])
      const gone = yield* call("GET", `/preferences/sections/${id}`)
      assert.deepStrictEqual([gone.status, gone.body], [404, refusal(`Preference section ${id} not found`)])
    }))

  it.effect("topics are created, read, listed, replaced whole and archived", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const sectionId = idOf(yield* call("POST", "/preferences/sections", { body: { name: "Account" } }))
      const path = `/preferences/sections/${sectionId}/topics`
      const created = yield* call("POST", path, { body: topic })
      assert.strictEqual(created.status, 201)
      const id = idOf(created)
      assert.deepStrictEqual(created.body, { id, ...topic, ...times })
      assert.deepStrictEqual((yield* call("GET", `${path}/${id}`)).body, created.body)
      assert.deepStrictEqual((yield* call("GET", path)).body, { results: [created.body] })
      const full = yield* call("DELETE", `/preferences/sections/${sectionId}`)
      assert.deepStrictEqual([full.status, full.headers.get("x-should-retry")], [409, "false"])
      const replaced = yield* call("PUT", `${path}/${id}`, { body: { name: "N", default_status: "REQUIRED" } })
      assert.deepStrictEqual(replaced.body, {
        id,
        name: "N",
        default_status: "REQUIRED",
        routing_options: [],
        allowed_preferences: [],
        include_unsubscribe_header: false,
        topic_data: {},
        ...times
      })
      const other = idOf(yield* call("POST", "/preferences/sections", { body: { name: "Other" } }))
      const elsewhere = yield* call("GET", `/preferences/sections/${other}/topics/${id}`)
      assert.deepStrictEqual([elsewhere.status, elsewhere.body], [
        404,
        refusal(`Subscription topic ${id} not found`)
      ])
      assert.strictEqual((yield* call("DELETE", `${path}/${id}`)).status, 204)
      assert.strictEqual((yield* call("DELETE", `${path}/${id}`)).status, 404)
    }))

  it.effect("refused fields are named", () =>
    Effect.gen(function*() {
      const { call, sectionId } = yield* catalogue
      const refused = yield* call("POST", `/preferences/sections/${sectionId}/topics`, {
        body: { default_status: "MAYBE", routing_options: ["fax"] }
      })
      assert.strictEqual(refused.status, 400)
      for (const field of ["name: ", "default_status: ", "routing_options[0]: "]) assert.include(refused.text, field)
    }))

  it.effect("it is published under a rising version, with and without a body", () =>
    Effect.gen(function*() {
      const { call } = yield* catalogue
      const Published = Schema.Struct({
        page_id: Schema.String,
        published_at: Schema.Literal("1970-01-01T00:00:00.003Z"),
        published_version: Schema.Number,
        published_by: Schema.Literal("api")
      })
      const bodies = [undefined, {}, { brand_id: "default", heading: "H", description: null }]
      const answers = yield* Effect.forEach(bodies, (body) =>
        call("POST", "/preferences/publish", body === undefined ? {} : { body }))
      assert.deepStrictEqual(
        answers.map(({ status }) =>
          status
        ),
        [200, 200, 200]
      )
      const versions = answers.map(({ body }) => Schema.decodeUnknownSync(Published)(body).published_version)
      assert.deepStrictEqual(versions, [3, 4, 5])
    }))

  it.effect("GET /preferences tells it in the words of the legacy calls", () =>
    Effect.gen(function*() {
      const { call, optedIn, optedOut, required, sectionId } = yield* catalogue
      assert.deepStrictEqual((yield* call("GET", "/preferences")).body, {
        uncategorized: [],
        categories: [{
          id: sectionId,
          title: "Account",
          config: { type: "OPT_OUT" },
          notifications: [
            { id: optedIn, title: "OPTED_IN", config: { type: "OPT_OUT" } },
            { id: optedOut, title: "OPTED_OUT", config: { type: "OPT_IN" } },
            { id: required, title: "REQUIRED", config: { type: "REQUIRED" } }
          ]
        }]
      })
    }))
})

describe("Legacy preferences", () => {
  it.effect("are replaced whole, patched, and read with the profile", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const user = "ada%2Flovelace%20@x"
      const entry = {
        status: "OPTED_IN",
        channel_preferences: [{ channel: "push" }],
        rules: [{ start: "2026-01-01T00:00:00+01:00", until: "2026-02-01T00:00:00Z" }]
      }
      const put = yield* call("PUT", `/preferences/${user}`, {
        body: { notifications: { n: entry }, categories: { c: {} } }
      })
      assert.deepStrictEqual([put.status, put.body], [200, { status: "SUCCESS" }])
      const stored = { ...entry, rules: [{ type: "snooze", ...entry.rules[0] }] }
      assert.deepStrictEqual((yield* call("GET", `/preferences/${user}`)).body, {
        notifications: { n: stored },
        categories: { c: {} }
      })
      assert.strictEqual((yield* call("GET", `/profiles/${user}`)).status, 404)
      yield* call("PUT", `/profiles/${user}`, { body: { profile: { a: 1 } } })
      assert.deepStrictEqual((yield* call("GET", `/profiles/${user}`)).body, {
        profile: { a: 1 },
        preferences: { notifications: { n: stored }, categories: { c: {} } }
      })
      const patched = yield* call("PATCH", `/preferences/${user}`, {
        body: { patch: [{ op: "remove", path: "/notifications/n" }] }
      })
      assert.deepStrictEqual([patched.status, patched.body], [200, { status: "SUCCESS" }])
      yield* call("PUT", `/preferences/${user}`, { body: { notifications: { m: { status: "OPTED_OUT" } } } })
      assert.deepStrictEqual((yield* call("GET", `/preferences/${user}`)).body, {
        notifications: { m: { status: "OPTED_OUT" } },
        categories: {}
      })
    }))

  it.effect("an unknown recipient has none, and no profile shows any", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      assert.deepStrictEqual((yield* call("GET", "/preferences/nobody")).body, { notifications: {}, categories: {} })
      yield* call("PUT", "/profiles/ada", { body: { profile: {} } })
      assert.deepStrictEqual((yield* call("GET", "/profiles/ada")).body, { profile: {} })
    }))

  it.effect("refused fields are named", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const refused = yield* call("PUT", "/preferences/ada", {
        body: { notifications: { n: { status: "MAYBE", channel_preferences: [{ channel: "fax" }] } } }
      })
      assert.strictEqual(refused.status, 400)
      for (const field of ["notifications.n.status: ", "notifications.n.channel_preferences[0].channel: "]) {
        assert.include(refused.text, field)
      }
    }))
})

describe("User preferences", () => {
  it.effect("a topic is set, read, listed and reset", () =>
    Effect.gen(function*() {
      const { call, optedIn, optedOut, sectionId } = yield* catalogue
      const path = "/users/a%2Fb/preferences"
      const common = { topic_id: optedIn, topic_name: "OPTED_IN", section_id: sectionId, section_name: "Account" }
      assert.deepStrictEqual((yield* call("GET", `${path}/${optedIn}`)).body, {
        topic: {
          ...common,
          status: "OPTED_IN",
          default_status: "OPTED_IN",
          has_custom_routing: false,
          custom_routing: []
        }
      })
      assert.deepStrictEqual((yield* call("GET", path)).body, { items: [], paging: { more: false } })
      const put = yield* call("PUT", `${path}/${optedIn}`, {
        body: { topic: { status: "OPTED_OUT", has_custom_routing: true, custom_routing: ["inbox", "email"] } }
      })
      assert.deepStrictEqual([put.status, put.body], [200, { message: "success" }])
      const item = {
        ...common,
        status: "OPTED_OUT",
        default_status: "OPTED_IN",
        has_custom_routing: true,
        custom_routing: ["inbox", "email"]
      }
      assert.deepStrictEqual((yield* call("GET", `${path}/${optedIn}`)).body, { topic: item })
      yield* call("PUT", `${path}/${optedOut}?tenant_id=acme`, { body: { topic: { status: "REQUIRED" } } })
      assert.deepStrictEqual((yield* call("GET", path)).body, { items: [item], paging: { more: false } })
      assert.deepInclude((yield* call("GET", `${path}?tenant_id=acme`)).body, { paging: { more: false } })
      assert.include((yield* call("GET", `${path}/${optedOut}?tenant_id=acme`)).text, `"status":"OPTED_IN"`)
      assert.include((yield* call("GET", `${path}/${optedIn}?tenant_id=acme`)).text, `"status":"OPTED_OUT"`)
      for (let n = 0; n < 2; n++) {
        const removed = yield* call("DELETE", `${path}/${optedIn}?tenant_id=`)
        assert.deepStrictEqual([removed.status, removed.text], [204, ""])
      }
      assert.deepStrictEqual((yield* call("GET", path)).body, { items: [], paging: { more: false } })
    }))

  it.effect("an unknown topic is 404, a required one cannot be opted out of, a bad channel is named", () =>
    Effect.gen(function*() {
      const { call, optedIn, required } = yield* catalogue
      const put = (topic: string, setting: object) =>
        call("PUT", `/users/ada/preferences/${topic}`, { body: { topic: setting } })
      const unknown = yield* put("pt_none", { status: "OPTED_IN" })
      assert.deepStrictEqual([unknown.status, unknown.body], [404, refusal("Subscription topic pt_none not found")])
      assert.strictEqual((yield* call("GET", "/users/ada/preferences/pt_none")).status, 404)
      assert.strictEqual((yield* call("DELETE", "/users/ada/preferences/pt_none")).status, 204)
      const out = yield* put(required, { status: "OPTED_OUT" })
      assert.deepStrictEqual([out.status, out.body], [
        400,
        refusal(`${required}: The topic is required and cannot be opted out of`)
      ])
      assert.strictEqual((yield* put(required, { status: "OPTED_IN", custom_routing: ["email"] })).status, 200)
      const got = yield* call("GET", `/users/ada/preferences/${required}`)
      for (const part of [`"status":"REQUIRED"`, `"has_custom_routing":true`, `["email"]`]) {
        assert.include(got.text, part)
      }
      const channel = yield* put(optedIn, { status: "OPTED_IN", custom_routing: ["email", "fax"] })
      assert.strictEqual(channel.status, 400)
      assert.include(channel.text, "topic.custom_routing[1]: ")
    }))

  it.effect("POST sets what can be set and tells why the rest cannot", () =>
    Effect.gen(function*() {
      const { call, optedIn, optedOut, required } = yield* catalogue
      yield* call("PUT", `/users/ada/preferences/${optedOut}`, { body: { topic: { status: "OPTED_IN" } } })
      const answer = yield* call("POST", "/users/ada/preferences", {
        body: {
          topics: [
            { topic_id: optedIn, status: "OPTED_OUT" },
            { topic_id: required, status: "OPTED_OUT" },
            { topic_id: "pt_none", status: "OPTED_IN" },
            { topic_id: optedIn, status: "OPTED_IN", has_custom_routing: true, custom_routing: ["sms"] }
          ]
        }
      })
      assert.deepStrictEqual([answer.status, answer.body], [200, {
        items: [{ topic_id: optedIn, status: "OPTED_IN", has_custom_routing: true, custom_routing: ["sms"] }],
        errors: [
          { topic_id: required, reason: "The topic is required and cannot be opted out of" },
          { topic_id: "pt_none", reason: "The topic does not exist" }
        ]
      }])
      const listed = yield* call("GET", "/users/ada/preferences")
      assert.include(listed.text, optedIn)
      assert.include(listed.text, optedOut)
      for (const topics of [[], Array.from({ length: 51 }, () => ({ topic_id: optedIn, status: "OPTED_IN" }))]) {
        const refused = yield* call("POST", "/users/ada/preferences", { body: { topics } })
        assert.strictEqual(refused.status, 400)
        assert.include(refused.text, "topics: ")
      }
    }))

  it.effect("PUT replaces all, or nothing if one is invalid, and names every fault", () =>
    Effect.gen(function*() {
      const { call, optedIn, optedOut, required } = yield* catalogue
      const put = (topics: ReadonlyArray<object>) => call("PUT", "/users/ada/preferences", { body: { topics } })
      yield* put([{ topic_id: optedIn, status: "OPTED_OUT" }])
      const refused = yield* put([
        { topic_id: optedOut, status: "OPTED_IN" },
        { topic_id: required, status: "OPTED_OUT" },
        { topic_id: "pt_none", status: "OPTED_IN" }
      ])
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(refused.body, {
        ...refusal(
          `${required}: The topic is required and cannot be opted out of; pt_none: The topic does not exist`
        ),
        errors: [
          { topic_id: required, reason: "The topic is required and cannot be opted out of" },
          { topic_id: "pt_none", reason: "The topic does not exist" }
        ]
      })
      assert.include((yield* call("GET", "/users/ada/preferences")).text, optedIn)
      const item = { topic_id: optedOut, status: "OPTED_IN", has_custom_routing: false, custom_routing: [] }
      assert.deepStrictEqual((yield* put([{ topic_id: optedOut, status: "OPTED_IN" }])).body, {
        items: [item],
        deleted: [optedIn]
      })
      assert.deepStrictEqual((yield* put([])).body, { items: [], deleted: [optedOut] })
      assert.strictEqual((yield* put([{ topic_id: optedIn, status: "REQUIRED" }])).status, 400)
    }))

  it.effect("P5: a repeated POST replays its answer; P10: another environment has its own", () =>
    Effect.gen(function*() {
      const { call, optedIn } = yield* catalogue
      const headers = { "idempotency-key": "k" }
      const body = { topics: [{ topic_id: optedIn, status: "OPTED_OUT" }] }
      const first = yield* call("POST", "/users/ada/preferences", { headers, body })
      yield* call("DELETE", `/users/ada/preferences/${optedIn}`)
      const again = yield* call("POST", "/users/ada/preferences", { headers, body })
      assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
      assert.deepStrictEqual((yield* call("GET", "/users/ada/preferences")).body, {
        items: [],
        paging: { more: false }
      })
      const elsewhere = { key: "pk_test_a" }
      assert.deepStrictEqual((yield* call("GET", "/preferences/sections", elsewhere)).body, { results: [] })
      assert.strictEqual((yield* call("GET", `/users/ada/preferences/${optedIn}`, elsewhere)).status, 404)
    }))
})
