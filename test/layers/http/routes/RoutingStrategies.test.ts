import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const strategy = {
  name: "Mail first",
  description: "d",
  tags: ["a"],
  routing: { method: "single", channels: ["email", { method: "all", channels: ["sms", "push"] }] },
  channels: { email: { providers: ["sendgrid", "smtp"] } },
  providers: { smtp: { timeouts: 5_000 } }
}

const idOf = (answer: { readonly body: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(answer.body).id

const refusal = (message: string) => ({ message, type: "invalid_request_error" })

const template = (strategyId: string) => ({
  notification: {
    name: "Welcome",
    tags: [],
    brand: null,
    subscription: null,
    routing: { strategy_id: strategyId },
    content: { version: "2022-01-01", elements: [] }
  }
})

const Explained = Schema.Struct({
  status: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  timeline: Schema.Array(Schema.Struct({
    at: Schema.Number,
    provider: Schema.String,
    outcome: Schema.String,
    possible_duplicate: Schema.Boolean
  }))
})

describe("Routing strategies", () => {
  it.effect("are created, read, replaced whole, listed and archived", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const made = yield* call("POST", "/routing-strategies", { body: strategy })
      const id = idOf(made)
      const path = `/routing-strategies/${id}`
      assert.deepStrictEqual([made.status, made.body], [201, { id, ...strategy, created: 0, creator: "api" }])
      assert.deepStrictEqual((yield* call("GET", path)).body, made.body)
      assert.deepStrictEqual((yield* call("GET", "/routing-strategies")).body, {
        paging: { more: false },
        results: [{ id, name: "Mail first", description: "d", tags: ["a"], created: 0, creator: "api" }]
      })
      const bare = { name: "Bare", routing: { method: "all", channels: [] } }
      const replaced = yield* call("PUT", path, { body: { ...bare, channels: null } })
      assert.deepStrictEqual([replaced.status, replaced.body], [200, {
        id,
        ...bare,
        channels: {},
        providers: {},
        created: 0,
        creator: "api",
        updated: 0,
        updater: "api"
      }])
      assert.strictEqual((yield* call("DELETE", path)).status, 204)
      for (const method of ["GET", "DELETE"]) {
        const gone = yield* call(method, path)
        assert.deepStrictEqual([gone.status, gone.body], [404, refusal(`Routing strategy ${id} not found`)])
      }
    }))

  it.effect("one whose channel is in a brand that does not exist is refused", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const branded = { ...strategy, channels: { email: { brand_id: "none" } } }
      const refused = yield* call("POST", "/routing-strategies", { body: branded })
      assert.deepStrictEqual([refused.status, refused.body], [400, refusal("Brand none not found")])
    }))

  it.effect("one that templates name is not archived, and lists them", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const id = idOf(yield* call("POST", "/routing-strategies", { body: strategy }))
      const templateId = idOf(yield* call("POST", "/notifications", { body: template(id) }))
      const refused = yield* call("DELETE", `/routing-strategies/${id}`)
      assert.deepStrictEqual([refused.status, refused.body, refused.headers.get("x-should-retry")], [
        409,
        refusal(`Routing strategy ${id} has associated templates and cannot be archived`),
        "false"
      ])
      assert.deepStrictEqual((yield* call("GET", `/routing-strategies/${id}/notifications`)).body, {
        paging: { more: false },
        results: [{ id: templateId, name: "Welcome", tags: [], state: "DRAFT", created: 0, creator: "api" }]
      })
      assert.strictEqual((yield* call("GET", "/routing-strategies/rs_none/notifications")).status, 404)
      yield* call("DELETE", `/notifications/${templateId}`)
      assert.strictEqual((yield* call("DELETE", `/routing-strategies/${id}`)).status, 204)
    }))

  it.effect("explains what would become of a message, call by call", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const id = idOf(yield* call("POST", "/routing-strategies", { body: { ...strategy, providers: null } }))
      const explain = (body: object) =>
        Effect.map(call("POST", `/routing-strategies/${id}/explain`, { body }), ({ body, status }) => {
          assert.strictEqual(status, 200)
          return Schema.decodeUnknownSync(Explained)(body)
        })
      const fine = yield* explain({ faults: [] })
      assert.deepStrictEqual(fine, {
        status: "SENT",
        timeline: [{ at: 0, provider: "sendgrid", outcome: "Accepted", possible_duplicate: false }]
      })
      const refused = yield* explain({ faults: [{ provider: "sendgrid", outcome: "Misconfigured" }] })
      assert.deepStrictEqual(refused.timeline.map(({ outcome, provider }) => [provider, outcome]), [
        ["sendgrid", "Misconfigured"],
        ["smtp", "Accepted"]
      ])
      const dead = ["sendgrid", "smtp", "twilio"].map((provider) => ({
        provider,
        outcome: "Unavailable",
        times: 1_000
      }))
      const lost = yield* explain({ faults: dead })
      assert.deepStrictEqual([lost.status, lost.reason], ["UNDELIVERABLE", "FAILED"])
      const twice = yield* explain({ faults: [{ provider: "sendgrid", outcome: "Unknown", took: 15_000 }] })
      assert.deepStrictEqual(
        twice.timeline.map(({ possible_duplicate, provider }) => [provider, possible_duplicate]),
        [["sendgrid", false], ["sendgrid", true]]
      )
      assert.isAbove(twice.timeline[1]?.at ?? 0, 15_000 + 4_000)
      assert.strictEqual(
        (yield* call("POST", "/routing-strategies/rs_none/explain", { body: { faults: [] } })).status,
        404
      )
      assert.deepStrictEqual(yield* explain({}), fine)
    }))

  it.effect("pages follow their cursors", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const ids: Array<string> = []
      for (const name of ["a", "b", "c"]) {
        ids.unshift(idOf(yield* call("POST", "/routing-strategies", { body: { ...strategy, name } })))
      }
      const page = Schema.decodeUnknownSync(Schema.Struct({
        paging: Schema.Struct({ more: Schema.Boolean, cursor: Schema.optionalKey(Schema.String) }),
        results: Schema.Array(Schema.Struct({ id: Schema.String }))
      }))
      const first = page((yield* call("GET", "/routing-strategies?limit=2")).body)
      assert.isTrue(first.paging.more)
      const second = page((yield* call("GET", `/routing-strategies?limit=2&cursor=${first.paging.cursor}`)).body)
      assert.deepStrictEqual(second.paging, { more: false })
      assert.sameMembers([...first.results, ...second.results].map((item) => item.id), ids)
      assert.strictEqual((yield* call("GET", `/notifications?cursor=${first.paging.cursor}`)).status, 400)
    }))

  it.effect.each([{}, { name: "a" }, { ...strategy, routing: { method: "some", channels: [] } }, {
    ...strategy,
    name: ""
  }])(
    "%j is 400",
    (body) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        assert.strictEqual((yield* call("POST", "/routing-strategies", { body })).status, 400)
      })
  )
})
