import { dry, DryRun, Id, template } from "#test/layers/http/Rehearsals.ts"
import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Channels of a dry run", () => {
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
