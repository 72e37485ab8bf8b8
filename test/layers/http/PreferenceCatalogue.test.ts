import { catalogue, epoch, idOf, refusal, section, times, topic } from "#test/layers/http/PreferenceFixture.ts"
import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

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

  it.effect("it has a bound, which a refusal names: of one topic, one section and all of them", () =>
    Effect.gen(function*() {
      const { call, sectionId } = yield* catalogue
      const topics = `/preferences/sections/${sectionId}/topics`
      const long = "x".repeat(4_000)
      const refused = yield* Effect.all([
        call("POST", topics, { body: { ...topic, topic_data: { long } } }),
        call("POST", topics, { body: { ...topic, routing_options: Array.from({ length: 600 }, () => "email") } }),
        call("POST", "/preferences/sections", { body: { ...section, description: long } }),
        call("PUT", `/preferences/sections/${sectionId}`, { body: { ...section, description: long } })
      ])
      for (const { body, status } of refused) {
        assert.deepStrictEqual([status, body], [400, refusal("body: Expected at most 4000 characters of JSON")])
      }
      for (let n = 1; n < 200; n++) yield* call("POST", "/preferences/sections", { body: { name: `${n}` } })
      const full = yield* call("POST", "/preferences/sections", { body: { name: "late" } })
      const sentence = "An environment has at most 200 preference sections: archive one first"
      assert.deepStrictEqual([full.status, full.body], [400, refusal(sentence)])
    }))

  it.effect("it is published in the look of a brand that exists, and with words that a page has room for", () =>
    Effect.gen(function*() {
      const { call } = yield* catalogue
      const publish = (body: object) => call("POST", "/preferences/publish", { body })
      const unknown = yield* publish({ brand_id: "acme" })
      assert.deepStrictEqual([unknown.status, unknown.body], [400, refusal("Brand acme not found")])
      yield* call("POST", "/brands", { body: { id: "acme", name: "Acme" } })
      for (const brand_id of ["acme", "none", "default", null]) {
        assert.strictEqual((yield* publish({ brand_id })).status, 200)
      }
      const long = [{ heading: "x".repeat(513) }, { description: "x".repeat(4_001) }]
      for (const body of long) {
        const refused = yield* publish(body)
        assert.deepStrictEqual([refused.status, refused.text.includes(`${Object.keys(body)[0]}: Expected a length`)], [
          400,
          true
        ])
      }
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
