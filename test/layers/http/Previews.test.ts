import { dry, DryRun, Id, Preview, template } from "#test/layers/http/Rehearsals.ts"
import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Previews", () => {
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

  it.effect("buttons alone are nothing for a push, which shows none, and something where they are shown", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const button = { type: "action", content: "Go", href: "https://x.io" }
      const { id } = yield* Id((yield* call("POST", "/notifications", { body: template([button]) })).body)
      const shown = yield* Preview((yield* call("POST", `/notifications/${id}/preview`, { body: {} })).body)
      const failed = shown.results.flatMap(({ channel, error }) => error === undefined ? [] : [[channel, error]])
      assert.deepStrictEqual(failed, [["push", "The content has nothing for push"]])
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

  it.effect("a preview in a tenant shows the tenant's own template, as a send there would; a numbered version is the workspace's", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      yield* call("PUT", "/tenants/acme", { body: { name: "Acme" } })
      const { notification } = template([{ type: "text", content: "ours {{courier.scope}}" }])
      const made = yield* call("POST", "/notifications", { body: { notification, state: "PUBLISHED" } })
      const { id } = yield* Id(made.body)
      const elements = (content: string) => ({ version: "2022-01-01", elements: [{ type: "text", content }] })
      const own = (content: string, published: boolean) =>
        call("PUT", `/tenants/acme/templates/${id}`, { body: { template: { content: elements(content) }, published } })
      assert.strictEqual((yield* own("theirs {{courier.scope}}", true)).status, 201)
      assert.strictEqual((yield* own("their draft", false)).status, 200)
      const shown = Effect.fnUntraced(function*(version: string, to: object) {
        const body = { channels: ["sms"], to, version }
        const answer = yield* call("POST", `/notifications/${id}/preview`, { body })
        return (yield* Preview(answer.body)).results.map(({ content }) => content?.text)
      })
      const ada = { user_id: "ada", tenant_id: "acme" }
      assert.deepStrictEqual(yield* shown("published", ada), ["theirs published"])
      assert.deepStrictEqual(yield* shown("draft", ada), ["their draft"])
      assert.deepStrictEqual(yield* shown("v001", ada), ["ours published"])
      assert.deepStrictEqual(yield* shown("draft", { user_id: "ada" }), ["ours draft"])
      const unknown = yield* call("POST", `/notifications/${id}/preview`, { body: { channels: ["fax"] } })
      assert.strictEqual(unknown.status, 400)
      assert.include(unknown.text, "channels")
    }))
})
