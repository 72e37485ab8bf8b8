import { dry, DryRun } from "#test/layers/http/Rehearsals.ts"
import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("A dry run", () => {
  it.effect("a dry run says what would become of the message, and stores nothing", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const answer = yield* call("POST", "/send", {
        headers: { ...dry, "idempotency-key": "dry" },
        body: message([{ email: "ada@example.com" }, { user_id: "ada" }])
      })
      assert.strictEqual(answer.status, 200, answer.text)
      const { dry_run, results } = yield* DryRun(answer.body)
      assert.isTrue(dry_run)
      assert.deepStrictEqual(
        results.map((
          { outputs, recipient, status }
        ) => [recipient, status, outputs[0]?.provider, outputs[0]?.content?.subject]),
        [["ada@example.com", "SENT", "sendgrid", "Hello"], ["ada", "SENT", "sendgrid", "Hello"]]
      )
      const by = (channel: string) =>
        Effect.flatMap(
          call("POST", "/send", {
            headers: dry,
            body: message({ phone_number: "+4915112345678" }, { routing: { method: "single", channels: [channel] } })
          }),
          ({ body }) => DryRun(body)
        )
      const overridden = yield* call("POST", "/send", {
        headers: dry,
        body: message({ email: "ada@example.com" }, { channels: { email: { override: { subject: "Overridden" } } } })
      })
      assert.strictEqual((yield* DryRun(overridden.body)).results[0]?.outputs[0]?.content?.subject, "Overridden")
      assert.deepStrictEqual((yield* by("sms")).results[0]?.outputs[0]?.content?.segments, {
        count: 1,
        encoding: "GSM-7"
      })
      assert.deepInclude((yield* by("push")).results[0], { status: "UNROUTABLE", reason: "NO_PROVIDERS", outputs: [] })
      const escalated = yield* call("POST", "/send", {
        headers: dry,
        body: message({ email: "ada@example.com", phone_number: "+4915112345678" }, {
          routing: {
            method: "all",
            channels: ["push", { method: "single", channels: ["email", "sms"] }]
          },
          timeout: { criteria: "viewed", escalation: 60_000 }
        })
      })
      const plan = yield* Schema.decodeUnknownEffect(Schema.Struct({
        results: Schema.Tuple([Schema.Struct({
          plan: Schema.Struct({
            escalation: Schema.optionalKey(Schema.Unknown),
            ways: Schema.Tuple([Schema.Struct({ escalation: Schema.Unknown, ways: Schema.Array(Schema.JsonObject) })])
          })
        })])
      }))(escalated.body)
      const { escalation, ways: [inOrder] } = plan.results[0].plan
      assert.deepStrictEqual([escalation, inOrder.escalation], [undefined, { criteria: "viewed", after: 60_000 }])
      assert.deepStrictEqual(inOrder.ways.map((way) => way["escalation"]), [undefined, undefined])
      assert.deepStrictEqual([state.messages.size, state.profiles.size, state.keys.size], [0, 0, 0])
      // The key is still free for the send itself.
      const sent = yield* call("POST", "/send", { headers: { "idempotency-key": "dry" }, body: message() })
      assert.strictEqual(sent.status, 202)
    }))

  it.effect("a dry run in a tenant that does not exist says so, wherever the send names it", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const run = (to: object, more: object = {}) =>
        Effect.flatMap(call("POST", "/send", { headers: dry, body: message(to, more) }), ({ body }) => DryRun(body))
      const ada = { email: "ada@example.com" }
      const sends = [
        run({ ...ada, tenant_id: "none" }),
        run({ ...ada, context: { tenant_id: "none" } }),
        run(ada, { context: { tenant_id: "none" } }),
        run(ada, { tenant_id: "none" })
      ]
      for (const send of sends) {
        assert.deepInclude((yield* send).results[0], { status: "SENT", unknown_tenant: "none" })
      }
      const nowhere = { routing: { method: "single", channels: ["push"] }, tenant_id: "none" }
      assert.deepInclude((yield* run(ada, nowhere)).results[0], { status: "UNROUTABLE", unknown_tenant: "none" })
      assert.notProperty((yield* run(ada)).results[0], "unknown_tenant")
    }))

  it.effect("a dry run tells of a topic and a brand that do not exist", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const more = { brand_id: "old", preferences: { subscription_topic_id: "gone" } }
      const body = message({ email: "ada@example.com" }, more)
      const { results } = yield* DryRun((yield* call("POST", "/send", { headers: dry, body })).body)
      assert.deepInclude(results[0], { status: "SENT", unknown_topic: "gone", unknown_brand: "old" })
    }))

  it.effect("a dry run of what cannot be rendered, mapped or accepted", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const run = (body: unknown) => call("POST", "/send", { headers: dry, body })
      const bomb = yield* DryRun(
        (yield* run({
          message: { to: { email: "a@b.io" }, content: { title: "t", body: "{{#each data.l}}" }, data: { l: [1] } }
        })).body
      )
      assert.deepInclude(bomb.results[0], { status: "UNDELIVERABLE", reason: "FAILED" })
      assert.include(bomb.results[0]?.outputs[0]?.error, "malformed")
      const unmapped = yield* DryRun((yield* run({ message: { to: { email: "a@b.io" }, template: "none" } })).body)
      assert.deepInclude(unmapped.results[0], { status: "UNMAPPED", outputs: [] })
      const roots = yield* DryRun(
        (yield* run({
          message: {
            to: { email: "a@b.io" },
            content: {
              title: "{{recipient}} {{event}} {{courier.environment}} {{courier.scope}} {{subscriptionTopicId}}",
              body: ""
            },
            metadata: { event: "shipped" },
            preferences: { subscription_topic_id: "orders" }
          }
        })).body
      )
      assert.strictEqual(roots.results[0]?.outputs[0]?.content?.subject, "a@b.io shipped production published orders")
      const later = yield* DryRun((yield* run(message({ email: "a@b.io" }, { delay: { duration: 3_600_000 } }))).body)
      assert.isDefined(later.results[0]?.due_at)
      const winter = message({ email: "a@b.io" }, { delay: { until: "Jan 2 09:00-10:00", timezone: "UTC+1" } })
      const opening = yield* DryRun((yield* run(winter)).body)
      assert.deepInclude(opening.results[0], { status: "SENT", due_at: Date.UTC(1970, 0, 2, 8) })
      for (const to of [{ list_id: "l" }, { audience_id: "a" }]) {
        assert.strictEqual((yield* run(message(to))).status, 400)
      }
      assert.strictEqual((yield* run({ message: {} })).status, 400)
      assert.strictEqual(state.messages.size, 0)
    }))

  it.effect("P5: a dry run that is refused leaves its key to the send, whose answer it is never given", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const key = { "idempotency-key": "k1" }
      const toList = message({ list_id: "l" })
      const run = (body: unknown, header = "true") =>
        Effect.map(
          call("POST", "/send", { headers: { ...key, "tidings-dry-run": header }, body }),
          ({ headers, status }) => [status, headers.get("idempotent-replayed")]
        )
      const refused = [run(toList), run({ message: {} }), run(toList, "maybe")]
      assert.deepStrictEqual(yield* Effect.all(refused), refused.map(() => [400, null]))
      assert.strictEqual(state.keys.size, 0)
      const sent = yield* call("POST", "/send", { headers: key, body: toList })
      assert.deepStrictEqual([sent.status, sent.headers.get("idempotent-replayed")], [202, null])
      assert.deepStrictEqual(yield* Effect.all(refused), refused.map(() => [400, null]))
      assert.strictEqual((yield* call("POST", "/send", { headers: key, body: toList })).text, sent.text)
    }))

  it.effect("a header that is neither true nor false sends nothing", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const asked = (header: string) =>
        Effect.map(call("POST", "/send", { headers: { "tidings-dry-run": header }, body: message() }), (answer) =>
          answer.status)
      assert.deepStrictEqual(yield* Effect.forEach(["yes", "TRUE", "1", "", "no"], asked), [400, 200, 200, 400, 400])
      assert.strictEqual(state.messages.size, 0)
      assert.deepStrictEqual(yield* Effect.forEach(["false", "0"], asked), [202, 202])
      assert.strictEqual(state.messages.size, 2)
    }))
})
