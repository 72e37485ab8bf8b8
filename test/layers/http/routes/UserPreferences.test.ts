import { catalogue, idOf, refusal, section, topic } from "#test/layers/http/PreferenceFixture.ts"
import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

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

  it.effect("in a tenant the list says of a topic what reading it says: channels chosen outside of any count", () =>
    Effect.gen(function*() {
      const { call, optedIn } = yield* catalogue
      const path = "/users/ada/preferences"
      const topic = { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["push"] }
      yield* call("PUT", `${path}/${optedIn}`, { body: { topic } })
      yield* call("PUT", `${path}/${optedIn}?tenant_id=acme`, { body: { topic: { status: "OPTED_IN" } } })
      const one = yield* call("GET", `${path}/${optedIn}?tenant_id=acme`)
      assert.include(one.text, `"custom_routing":["push"]`)
      const all = yield* call("GET", `${path}?tenant_id=acme`)
      assert.deepStrictEqual({ topic: Object(all.body).items }, { topic: [Object(one.body).topic] })
    }))

  it.effect("what a user said by notification and category is read back, and the topic's own word beats it", () =>
    Effect.gen(function*() {
      const { call, optedIn, required, sectionId } = yield* catalogue
      const read = (topic: string) => Effect.map(call("GET", `/users/ada/preferences/${topic}`), ({ text }) => text)
      const out = { status: "OPTED_OUT" }
      for (const said of [{ notifications: { [optedIn]: out } }, { categories: { [sectionId]: out } }]) {
        yield* call("PUT", "/preferences/ada", { body: said })
        assert.include(yield* read(optedIn), `"status":"OPTED_OUT","default_status":"OPTED_IN"`)
        assert.include(yield* read(required), `"status":"REQUIRED"`)
      }
      yield* call("PUT", `/users/ada/preferences/${optedIn}`, { body: { topic: { status: "OPTED_IN" } } })
      assert.include(yield* read(optedIn), `"status":"OPTED_IN"`)
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
      const often = Array.from({ length: 1_000 }, (_, n) => n % 2 === 0 ? "sms" : "email")
      assert.strictEqual((yield* put(optedIn, { status: "OPTED_IN", custom_routing: often })).status, 200)
      assert.include((yield* call("GET", `/users/ada/preferences/${optedIn}`)).text, `["sms","email"]`)
      // Without channels there is no choice of them: the topic would be muted.
      assert.strictEqual((yield* put(optedIn, { status: "OPTED_IN", has_custom_routing: true })).status, 200)
      const unchosen = yield* call("GET", `/users/ada/preferences/${optedIn}`)
      assert.include(unchosen.text, `"has_custom_routing":false`)
      const channel = yield* put(optedIn, { status: "OPTED_IN", custom_routing: ["email", "fax"] })
      assert.strictEqual(channel.status, 400)
      assert.include(channel.text, "topic.custom_routing[1]: ")
    }))

  it.effect("a topic that a tenant requires cannot be opted out of in it, and can outside of it", () =>
    Effect.gen(function*() {
      const { call, optedIn } = yield* catalogue
      yield* call("PUT", "/tenants/acme", { body: { name: "Acme" } })
      yield* call("PUT", `/tenants/acme/default_preferences/items/${optedIn}`, { body: { status: "REQUIRED" } })
      const out = { status: "OPTED_OUT" }
      const put = (query: string) => call("PUT", `/users/ada/preferences/${optedIn}${query}`, { body: { topic: out } })
      const refused = yield* put("?tenant_id=acme")
      assert.deepStrictEqual([refused.status, refused.body], [
        400,
        refusal(`${optedIn}: The topic is required and cannot be opted out of`)
      ])
      const several = yield* call("POST", "/users/ada/preferences?tenant_id=acme", {
        body: { topics: [{ topic_id: optedIn, ...out }] }
      })
      assert.include(several.text, `"items":[],"errors":[{"topic_id":"${optedIn}"`)
      assert.strictEqual((yield* put("")).status, 200)
      assert.include(
        (yield* call("GET", `/users/ada/preferences/${optedIn}?tenant_id=acme`)).text,
        `"status":"REQUIRED"`
      )
    }))

  it.effect("of a topic that was archived meanwhile it is not told that it returned to its default", () =>
    Effect.gen(function*() {
      const { call, optedIn, optedOut, sectionId } = yield* catalogue
      for (const topic of [optedIn, optedOut]) {
        yield* call("PUT", `/users/ada/preferences/${topic}`, { body: { topic: { status: "OPTED_OUT" } } })
      }
      yield* call("DELETE", `/preferences/sections/${sectionId}/topics/${optedOut}`)
      const replaced = yield* call("PUT", "/users/ada/preferences", { body: { topics: [] } })
      assert.deepStrictEqual([replaced.status, replaced.body], [200, { items: [], deleted: [optedIn] }])
    }))

  it.effect("a topic's own terms: channels that it lets nobody choose, or does not go through, are refused", () =>
    Effect.gen(function*() {
      const { call, sectionId } = yield* catalogue
      const made = Effect.fnUntraced(function*(terms: object) {
        const body = { name: "t", default_status: "OPTED_IN", ...terms }
        return idOf(yield* call("POST", `/preferences/sections/${sectionId}/topics`, { body }))
      })
      const fixed = yield* made({ allowed_preferences: ["snooze"] })
      const narrow = yield* made({ allowed_preferences: ["channel_preferences"], routing_options: ["email", "sms"] })
      const put = Effect.fnUntraced(function*(topic: string, setting: object) {
        const { body, status } = yield* call("PUT", `/users/ada/preferences/${topic}`, { body: { topic: setting } })
        return [status, body]
      })
      const choose = (...custom_routing: ReadonlyArray<string>) => ({ status: "OPTED_IN", custom_routing })
      const closed = `${fixed}: The topic does not let users choose channels`
      assert.deepStrictEqual(yield* put(fixed, choose("email")), [400, refusal(closed)])
      assert.deepStrictEqual(yield* put(narrow, choose("sms", "inbox")), [
        400,
        refusal(`${narrow}: The topic does not go through inbox`)
      ])
      for (
        const [topic, setting] of [
          [fixed, { status: "OPTED_OUT" }],
          [fixed, choose()],
          // Channels named and not chosen are no choice.
          [fixed, { ...choose("email"), has_custom_routing: false }],
          [narrow, { ...choose("inbox"), has_custom_routing: false }],
          [narrow, choose("sms")]
        ] as const
      )
        assert.strictEqual((yield* put(topic, setting))[0], 200)
      // Terms that change later change what holds, not what was said.
      const path = `/preferences/sections/${sectionId}/topics/${narrow}`
      const shown = () => Effect.map(call("GET", `/users/ada/preferences/${narrow}`), ({ text }) => text)
      assert.include(yield* shown(), `"has_custom_routing":true,"custom_routing":["sms"]`)
      const terms = { name: "t", default_status: "OPTED_IN", allowed_preferences: ["snooze"] }
      yield* call("PUT", path, { body: terms })
      assert.include(yield* shown(), `"has_custom_routing":false,"custom_routing":[]`)
      yield* call("PUT", path, { body: { ...terms, allowed_preferences: [] } })
      assert.include(yield* shown(), `"has_custom_routing":true,"custom_routing":["sms"]`)
    }))

  it.effect("the channels that a topic or its section goes through are not told as a user's choice", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const sectionId = idOf(yield* call("POST", "/preferences/sections", { body: section }))
      for (const body of [topic, { ...topic, routing_options: [] }]) {
        const id = idOf(yield* call("POST", `/preferences/sections/${sectionId}/topics`, { body }))
        const { text } = yield* call("GET", `/users/ada/preferences/${id}`)
        assert.include(text, `"has_custom_routing":false,"custom_routing":[]`)
      }
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
      for (const bad of [{ topic_id: required, status: "OPTED_OUT" }, { topic_id: "pt_none", status: "OPTED_IN" }])
        assert.strictEqual((yield* put([{ topic_id: optedOut, status: "OPTED_IN" }, bad])).status, 400)
      const { text } = yield* call("GET", "/users/ada/preferences")
      assert.include(text, optedIn)
      assert.notInclude(text, optedOut)
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
