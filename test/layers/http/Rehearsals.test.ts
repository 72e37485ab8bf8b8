import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Shown = Schema.Struct({
  channel: Schema.String,
  provider: Schema.String,
  error: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.Struct({
    subject: Schema.String,
    title: Schema.String,
    body: Schema.String,
    text: Schema.String,
    html: Schema.String,
    native: Schema.optionalKey(Schema.JsonObject),
    segments: Schema.optionalKey(Schema.JsonObject)
  }))
})

const DryRun = Schema.decodeUnknownEffect(Schema.Struct({
  dry_run: Schema.Boolean,
  results: Schema.Array(Schema.Struct({
    recipient: Schema.String,
    status: Schema.String,
    reason: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.String),
    due_at: Schema.optionalKey(Schema.Number),
    outputs: Schema.Array(Shown)
  }))
}))
const Preview = Schema.decodeUnknownEffect(Schema.Struct({ results: Schema.Array(Shown) }))

const dry = { "tidings-dry-run": "true" }

const template = (elements: ReadonlyArray<object>) => ({
  notification: {
    name: "shown",
    tags: [],
    brand: null,
    subscription: null,
    routing: null,
    content: { version: "2022-01-01", elements }
  }
})

const Id = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.String }))

describe("Rehearsals", () => {
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

  it.effect("a variable that is not there drops the channel where the template says so, and routing moves on", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const { notification } = template([
        { type: "text", content: "{{data.missing}}", channels: ["email"] },
        { type: "text", content: "Hello" }
      ])
      const sent = Effect.fnUntraced(function*(options: object, more: object = {}) {
        const made = yield* call("POST", "/notifications", {
          body: { notification: { ...notification, ...options }, state: "PUBLISHED" }
        })
        assert.strictEqual(made.status, 201, made.text)
        const { id } = yield* Id(made.body)
        const body = {
          message: {
            to: { email: "ada@example.com", phone_number: "+4915112345678" },
            template: id,
            routing: { method: "single", channels: ["email", "sms"] },
            ...more
          }
        }
        const [result] = (yield* DryRun((yield* call("POST", "/send", { headers: dry, body })).body)).results
        const outputs = result?.outputs.map(({ channel, content, error }) => [channel, content?.text ?? error])
        return { status: result?.status, outputs, stored: (yield* call("GET", `/notifications/${id}`)).body }
      })
      const strict = yield* sent({ throw_on_variable_not_found: true })
      assert.deepInclude(strict.stored, { throw_on_variable_not_found: true })
      assert.deepStrictEqual([strict.status, strict.outputs], ["SENT", [
        ["email", "The variable \"data.missing\" was not found"],
        ["sms", "Hello"]
      ]])
      const { notification: hello } = template([{ type: "text", content: "Hello" }])
      const copied = yield* sent({ ...hello, throw_on_variable_not_found: true }, {
        channels: { email: { override: { cc: "{{data.missing}}" } } }
      })
      assert.deepStrictEqual(copied.outputs, strict.outputs, "nor is a mail with such a copy")
      const plain = yield* sent({})
      assert.notProperty(plain.stored, "throw_on_variable_not_found")
      assert.deepStrictEqual([plain.status, plain.outputs], ["SENT", [["email", "Hello"]]])
    }))

  it.effect("a channel that the content has nothing for is left out, and nothing empty is sent", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const text = { type: "text", content: "hi" }
      const smsOnly = [{ type: "channel", channel: "sms", elements: [text] }]
      const { id } = yield* Id(
        (yield* call("POST", "/notifications", { body: { ...template(smsOnly), state: "PUBLISHED" } })).body
      )
      const to = { user_id: "ada", email: "ada@example.com", phone_number: "+14155550123" }
      const sent = Effect.fnUntraced(function*(message: object) {
        const { results: [one] } = yield* DryRun(
          (yield* call("POST", "/send", { headers: dry, body: { message: { to, ...message } } })).body
        )
        return [one?.status, one?.reason, one?.outputs.map(({ channel }) => channel)]
      })
      const all = { method: "all", channels: ["email", "sms"] }
      const elements = (...of: ReadonlyArray<object>) => ({ content: { version: "2022-01-01", elements: of } })

      assert.deepStrictEqual(yield* sent({ template: id }), ["SENT", undefined, ["sms"]], "no routing at all")
      assert.deepStrictEqual(yield* sent({ template: id, routing: all }), ["SENT", undefined, ["sms"]])
      const named = elements({ ...text, channels: ["push", "sendgrid"] })
      assert.deepStrictEqual(yield* sent({ ...named, routing: all }), ["SENT", undefined, ["email"]])
      const only = { method: "single", channels: ["email"] }
      assert.deepStrictEqual(
        yield* sent({ template: id, routing: only }),
        ["UNROUTABLE", "NO_CHANNELS", []],
        "the recipient has the address"
      )
      const override = { email: { override: { html: "<p>own</p>" } } }
      assert.deepStrictEqual(
        yield* sent({ template: id, routing: only, channels: override }),
        ["SENT", undefined, ["email"]],
        "an override says it"
      )
      const spare = elements(...smsOnly, { type: "channel", channel: "default", elements: [text] })
      assert.deepStrictEqual(yield* sent({ ...spare, routing: all }), ["SENT", undefined, ["email", "sms"]])
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

  it.effect("a preview shows the draft in every channel, for a recipient with data", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      state.profiles.set("1 ada", { name: "Ada", email: "ada@example.com" })
      const { id } = yield* Id(
        (yield* call("POST", "/notifications", {
          body: template([
            { type: "meta", title: "Hi {{profile.name}}" },
            { type: "text", content: "**{{v}}** of {{template}}" },
            { type: "action", content: "Go", href: "https://x.io" }
          ])
        })).body
      )
      const preview = (body: object) => call("POST", `/notifications/${id}/preview`, { body })
      const answer = yield* preview({ to: { user_id: "ada" }, data: { v: "<b>*" } })
      assert.strictEqual(answer.status, 200, answer.text)
      const { results } = yield* Preview(answer.body)
      const of = (provider: string) => results.find((shown) => shown.provider === provider)?.content
      assert.deepStrictEqual(results.map(({ channel, error }) => [channel, error]), [
        ["email", undefined],
        ["sms", undefined],
        ["push", undefined],
        ["inbox", undefined],
        ["direct_message", undefined],
        ["direct_message", undefined],
        ["direct_message", undefined],
        ["webhook", undefined],
        ["banner", undefined]
      ])
      assert.strictEqual(of("email")?.subject, "Hi Ada")
      assert.include(of("email")?.html, `<strong>&lt;b&gt;*</strong> of ${id}`)
      assert.strictEqual(of("sms")?.text, `<b>* of ${id}\nGo: https://x.io`)
      assert.strictEqual(of("push")?.title, "Hi Ada")
      assert.deepStrictEqual(Object.keys(of("slack")?.native ?? {}), ["slackBlocks"])
      assert.deepStrictEqual(Object.keys(of("msteams")?.native ?? {}), ["adaptiveCard"])
      const only = yield* Preview((yield* preview({ channels: ["sms"] })).body)
      assert.deepStrictEqual(only.results.map(({ channel }) => channel), ["sms"])
      assert.strictEqual((yield* preview({ version: "published" })).status, 404)
      assert.strictEqual((yield* call("POST", "/notifications/nt_none/preview", { body: {} })).status, 404)
      assert.strictEqual(state.messages.size, 0)
    }))

  it.effect("a preview's links lead nowhere, and without a public URL there are none", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const section = yield* Id((yield* call("POST", "/preferences/sections", { body: { name: "News" } })).body)
      const news = { name: "News", default_status: "OPTED_IN" }
      const topic = yield* Id((yield* call("POST", `/preferences/sections/${section.id}/topics`, { body: news })).body)
      const body = "{{#if urls.unsubscribe}}link{{/if}} {{unsubscribeTrackingId}}"
      const { notification } = template([{ type: "text", content: body }])
      const made = yield* call("POST", "/notifications", {
        body: { notification: { ...notification, subscription: { topic_id: topic.id } } }
      })
      const { id } = yield* Id(made.body)
      const shown = yield* call("POST", `/notifications/${id}/preview`, {
        body: { channels: ["sms"], to: { user_id: "ada" } }
      })
      const { results } = yield* Preview(shown.body)
      assert.strictEqual(results[0]?.content?.body.trim(), "preview", shown.text)
    }))

  it.effect("a preview is what a send would give: in the user's tenant, in the look that the template's strategy asks for", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const sms = { method: "single", channels: ["sms"] }
      const phone = "+4915112345678"
      const put = (path: string, body: object) => call("PUT", path, { body })
      for (const id of ["default", "ours", "acme"]) yield* call("POST", "/brands", { body: { id, name: id } })
      yield* put("/tenants/acme", { name: "Acme", brand_id: "acme", user_profile: { locale: "de" } })
      yield* put("/profiles/ada", { profile: { phone_number: phone } })
      yield* put("/users/ada/tenants/acme", {})
      const strategy = yield* Id(
        (yield* call("POST", "/routing-strategies", {
          body: {
            name: "texts",
            routing: sms,
            channels: { sms: { brand_id: "ours" } }
          }
        })).body
      )
      const { notification } = template([
        {
          type: "text",
          content: "Hello {{tenant.name}}, {{brand.name}}",
          locales: { de: { content: "Hallo {{tenant.name}}, {{brand.name}}" } }
        }
      ])
      const texts = Effect.fnUntraced(function*(routing: object | null, to: object) {
        const made = yield* call("POST", "/notifications", {
          body: { notification: { ...notification, routing }, state: "PUBLISHED" }
        })
        const { id } = yield* Id(made.body)
        const answer = yield* call("POST", "/send", {
          headers: dry,
          body: { message: { to, template: id, routing: sms } }
        })
        assert.strictEqual(answer.status, 200, answer.text)
        const sent = yield* DryRun(answer.body)
        const shown = yield* Preview(
          (yield* call("POST", `/notifications/${id}/preview`, { body: { channels: ["sms"], to } })).body
        )
        return [...sent.results.flatMap(({ outputs }) => outputs), ...shown.results].map(({ content }) => content?.text)
      })
      const ada = { user_id: "ada" }
      const both = (text: string) => [text, text]
      assert.deepStrictEqual(yield* texts(null, { phone_number: phone }), both("Hello , default"))
      assert.deepStrictEqual(
        yield* texts({ strategy_id: strategy.id }, { phone_number: phone }),
        both("Hello , ours")
      )
      assert.deepStrictEqual(yield* texts(null, ada), both("Hallo Acme, acme"))
      const bob = { user_id: "bob", phone_number: phone, context: { tenant_id: "acme" } }
      assert.deepStrictEqual(yield* texts(null, bob), both("Hallo Acme, acme"))
    }))

  it.effect("a dry run fails where the variables of an address would", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const { notification } = template([{ type: "text", content: "Hello" }])
      const made = yield* call("POST", "/notifications", {
        body: { notification: { ...notification, throw_on_variable_not_found: true }, state: "PUBLISHED" }
      })
      const { id } = yield* Id(made.body)
      const body = {
        message: {
          to: { email: "ada@example.com", phone_number: "+4915112345678" },
          template: id,
          routing: { method: "single", channels: ["email", "sms"] },
          channels: { email: { override: { cc: "{{data.boss}}" } } }
        }
      }
      const [result] = (yield* DryRun((yield* call("POST", "/send", { headers: dry, body })).body)).results
      assert.deepStrictEqual(result?.outputs.map(({ channel, content, error }) => [channel, content?.text ?? error]), [
        ["email", "The variable \"data.boss\" was not found"],
        ["sms", "Hello"]
      ])
    }))
})
