import { ask, fetched, refusal, type Service, until } from "#test/client/Service.ts"
import * as Shape from "#test/client/Shape.ts"
import { assert, type Vitest } from "@effect/vitest"
import type Courier from "@trycourier/courier"
import { Effect } from "effect"

const details = Shape.shaped<Courier.Messages.MessageRetrieveResponse>({
  id: Shape.text,
  enqueued: Shape.millis,
  event: Shape.text,
  notification: Shape.text,
  recipient: Shape.text,
  status: Shape.text,
  clicked: Shape.optional(Shape.millis),
  delivered: Shape.optional(Shape.millis),
  error: Shape.optional(Shape.text),
  opened: Shape.optional(Shape.millis),
  reason: Shape.optional(Shape.text),
  sent: Shape.optional(Shape.millis),
  providers: Shape.optional(Shape.listOf(Shape.map))
})

const inbox = { method: "single" as const, channels: ["inbox"] }
const hello = (userId: string): Courier.SendMessageParams["message"] => ({
  to: { user_id: userId },
  content: { title: "Hello {{name}}", body: "Your first message." },
  data: { name: "Ada" },
  routing: inbox
})

const sent = (id: string) => until(ask((client) => client.messages.retrieve(id)), ({ status }) => status === "SENT")

export const send = (it: Vitest.MethodsNonLive<Service>) => {
  it.effect("send.message, messages.retrieve, content, history, list; requests.archive", () =>
    Effect.gen(function*() {
      const { requestId } = yield* ask((client) => client.send.message({ message: hello("send-ada") }))
      const message = details.assert(yield* sent(requestId))
      assert.strictEqual(message.recipient, "send-ada")
      const { results } = yield* ask((client) => client.messages.content(requestId))
      const content = Shape.shaped<Courier.Messages.MessageContentResponse.Result.Content>({
        blocks: Shape.listOf(Shape.map),
        body: Shape.text,
        html: Shape.text,
        subject: Shape.text,
        text: Shape.text,
        title: Shape.text
      })
      assert.strictEqual(results.length, 1)
      for (const { content: rendered } of results) {
        content.assert(rendered)
        assert.deepStrictEqual([rendered.title, rendered.body], ["Hello Ada", "Your first message."])
      }
      const history = yield* ask((client) => client.messages.history(requestId))
      assert.includeMembers(history.results.map(({ type }) => type), ["ENQUEUED", "RENDERED", "SENT"])
      const only = yield* ask((client) => client.messages.history(requestId, { type: "SENT" }))
      assert.deepStrictEqual(only.results.map(({ type }) => type), ["SENT"])

      const listed = yield* ask((client) =>
        client.messages.list({ recipient: "send-ada", status: ["SENT", "OPENED"], provider: ["inbox"] })
      )
      assert.deepStrictEqual(listed.results.map(({ id }) => id), [requestId])
      assert.isFalse(listed.paging.more)

      yield* ask((client) => client.requests.archive(requestId))
      const rest = yield* ask((client) => client.messages.list({ recipient: "send-ada" }))
      assert.deepStrictEqual(rest.results, [])
      const archived = yield* ask((client) => client.messages.list({ recipient: "send-ada", archived: true }))
      assert.strictEqual(archived.results.length, 1)
    }))

  it.effect("an in-app message says what its override says, in a dry run too", () =>
    Effect.gen(function*() {
      const actions = [{ content: "Accept", href: "acme://friends/accept/1" }]
      const message = { ...hello("send-own"), channels: { inbox: { override: { title: "Own", actions } } } }
      const body = "Your first message."
      const dry = { headers: { "Tidings-Dry-Run": "true" } }
      const { results: [rehearsed] } = Object(yield* ask((client) => client.send.message({ message }, dry)))
      assert.deepInclude(rehearsed.outputs[0].content, { title: "Own", body })
      const { requestId } = yield* ask((client) => client.send.message({ message }))
      yield* sent(requestId)
      const { body: { results: [item] } } = yield* fetched("GET", "/users/send-own/inbox")
      assert.deepInclude(item, { messageId: requestId, title: "Own", body, actions })
    }))

  it.effect("messages.cancel: once the same record, later a conflict; messages of nobody are 404", () =>
    Effect.gen(function*() {
      const { requestId } = yield* ask((client) =>
        client.send.message({ message: { ...hello("send-cancel"), delay: { duration: 3_600_000 } } })
      )
      const first = details.assert(yield* ask((client) => client.messages.cancel(requestId)))
      assert.strictEqual(first.status, "CANCELED")
      const second = yield* ask((client) => client.messages.cancel(requestId))
      assert.strictEqual(second.status, "CANCELED")
      const done = yield* ask((client) => client.send.message({ message: hello("send-cancel") }))
      yield* sent(done.requestId)
      assert.strictEqual(yield* refusal((client) => client.messages.cancel(done.requestId)), 409)
      const nobody = "1-65000000-000000000000000000000000"
      assert.strictEqual(yield* refusal((client) => client.messages.retrieve(nobody)), 404)
      assert.strictEqual(yield* refusal((client) => client.requests.archive(nobody)), 404)
    }))

  it.effect("a message that is sent again is another one; more than ten times a minute it is not", () =>
    Effect.gen(function*() {
      const { requestId } = yield* ask((client) => client.send.message({ message: hello("send-again") }))
      // This version of the client has no method for it.
      const resend = (client: Courier) => client.post<{ messageId: string }>(`/messages/${requestId}/resend`)
      const { messageId } = yield* ask(resend)
      assert.notStrictEqual(messageId, requestId)
      assert.strictEqual((yield* sent(messageId)).recipient, "send-again")
      for (let n = 2; n <= 10; n++) yield* ask(resend)
      assert.strictEqual(yield* refusal(resend), 429)
    }))

  it.effect("P5: the client's idempotency header sends once", () =>
    Effect.gen(function*() {
      const call = (client: Courier) =>
        client.send.message({ message: hello("send-once") }, { headers: { "Idempotency-Key": "once-and-only" } })
      const first = yield* ask(call)
      assert.deepStrictEqual(yield* ask(call), first)
      const { results } = yield* ask((client) => client.messages.list({ recipient: "send-once" }))
      assert.strictEqual(results.length, 1)
    }))

  it.effect("a send to a list reaches each of its people once", () =>
    Effect.gen(function*() {
      const people = ["send-l1", "send-l2", "send-l3"]
      yield* ask((client) => client.lists.update("send.list", { name: "Some" }))
      yield* ask((client) =>
        client.lists.subscriptions.subscribe("send.list", {
          recipients: people.map((recipientId) => ({ recipientId }))
        })
      )
      const to = [{ list_id: "send.list" }, { user_id: "send-l1" }]
      const { requestId } = yield* ask((client) => client.send.message({ message: { ...hello("nobody"), to } }))
      const { results } = yield* until(
        ask((client) => client.messages.list({ traceId: requestId, status: ["SENT"] })),
        (page) => page.results.length >= people.length
      )
      assert.sameMembers(results.map(({ recipient }) => recipient), people)
    }))

  it.effect("a send to a group that does not exist is a message that says so; to an empty one it is none", () =>
    Effect.gen(function*() {
      yield* ask((client) => client.lists.update("send.empty", { name: "Nobody" }))
      const ended = Effect.fnUntraced(function*(to: object) {
        const { requestId } = (yield* fetched("POST", "/send", { message: { ...hello("nobody"), to } })).body
        const { body: request } = yield* until(
          fetched("GET", `/requests/${requestId}`),
          ({ body }) => body.state !== "RUNNING"
        )
        const { results } = yield* until(
          ask((client) => client.messages.list({ traceId: requestId })),
          (page) => page.results.every(({ status }) => !["ENQUEUED", "ROUTED"].includes(status))
        )
        return {
          state: [request.state, request.messages, request.error],
          messages: results.map(({ error, reason, recipient, status }) => [recipient, status, reason, error])
        }
      })
      for (
        const [to, kind] of [
          [{ audience_id: "gone" }, "audience"],
          [{ list_id: "gone", filters: [{ operator: "MEMBER_OF", path: "account_id", value: "t" }] }, "list"],
          [{ audience_id: "gone", user_id: "send-ada" }, "audience"],
          [{ tenant_id: "gone", include_children: true, data: {} }, "tenant"]
        ] as const
      ) {
        const said = `The ${kind} gone does not exist`
        assert.deepStrictEqual(yield* ended(to), {
          state: ["COMPLETED", 1, said],
          messages: [["gone", "UNROUTABLE", "NO_CHANNELS", said]]
        })
      }
      const none = { state: ["COMPLETED", 0, undefined], messages: [] }
      assert.deepStrictEqual(yield* ended({ list_id: "send.empty" }), none)
      assert.deepStrictEqual(yield* ended({ list_pattern: "gone.*" }), none)
      const some = yield* ended([{ list_id: "gone" }, { user_id: "send-some" }, { list_id: "gone" }])
      assert.sameDeepMembers(some.messages, [
        ["gone", "UNROUTABLE", "NO_CHANNELS", "The list gone does not exist"],
        ["send-some", "SENT", undefined, undefined]
      ])
      const listed = yield* ask((client) => client.messages.list({ list: "gone" }))
      assert.lengthOf(listed.results, 2)
    }))

  it.effect("the client's own example of a send, with nulls and zeros wherever its types let them stand, is accepted", () =>
    Effect.gen(function*() {
      const utm = { campaign: null, content: null, medium: null, source: null, term: null }
      const entry = {
        status: "OPTED_IN" as const,
        channel_preferences: [{ channel: "direct_message" as const }],
        rules: [{ until: "until", start: "start" }],
        source: "subscription" as const
      }
      const { requestId } = yield* ask((client) =>
        client.send.message({
          message: {
            brand_id: null,
            channels: {
              foo: {
                brand_id: null,
                if: null,
                metadata: { utm },
                override: { foo: "bar" },
                providers: ["string"],
                routing_method: "all",
                timeouts: { channel: 0, provider: 0 }
              }
            },
            content: { body: "body", title: "title" },
            context: { tenant_id: null },
            data: { name: "bar" },
            delay: { duration: 0, timezone: "timezone", until: "until" },
            expiry: { expires_in: "string", expires_at: "expires_at" },
            metadata: { event: "event", tags: ["string"], trace_id: "trace_id", utm },
            preferences: { subscription_topic_id: "subscription_topic_id" },
            providers: { foo: { if: "if", metadata: { utm }, override: { foo: "bar" }, timeouts: 0 } },
            routing: { channels: ["email"], method: "single" },
            timeout: {
              channel: { foo: 0 },
              criteria: "no-escalation",
              escalation: 0,
              message: 0,
              provider: { foo: 0 }
            },
            to: {
              account_id: "account_id",
              context: { tenant_id: "tenant_id" },
              data: { foo: "bar" },
              email: "email@example.com",
              locale: "locale",
              phone_number: "phone_number",
              preferences: { notifications: { foo: entry }, categories: { foo: entry }, templateId: "templateId" },
              tenant_id: "tenant_id",
              user_id: "example_user"
            }
          }
        })
      )
      const { status } = yield* ask((client) => client.messages.retrieve(requestId))
      assert.isString(status)
    }))

  it.effect("what the service refuses is the client's own error", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusal((client) => client.send.message({ message: {} })), 400)
      assert.strictEqual(
        yield* refusal((client) => client.withOptions({ apiKey: "pk_prod_wrong" }).messages.list()),
        401
      )
    }))
}
