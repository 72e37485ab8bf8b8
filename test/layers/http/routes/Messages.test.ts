import * as Fixture from "#test/contracts/Fixture.ts"
import { message, serve } from "#test/layers/http/Server.ts"
import type { State } from "#test/layers/http/State.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const only = (state: State) => {
  const [id] = state.messages.keys()
  assert.isDefined(id)
  return id
}

const sent = Effect.gen(function*() {
  const server = yield* serve
  yield* server.call("POST", "/send", { body: message() })
  return { ...server, id: only(server.state) }
})

const nobody = "1-00000000-ffffffffffffffffffffffff"

const everything = { ...Fixture.anything, limit: 50 }

const questions: ReadonlyArray<readonly [string, object]> = [
  ["", {}],
  ["?cursor=&event=&archived=&limit=&enqueued_after=&status=&tag=", {}],
  ["?archived=true&cursor=abc&limit=20", { archived: true, cursor: "abc", limit: 20 }],
  ["?limit=0", { limit: 1 }],
  ["?limit=5000", { limit: 100 }],
  ["?limit=99999999999999999999", { limit: 100 }],
  ["?limit=-99999999999999999999", { limit: 1 }],
  ["?status=SENT%2COPENED&status=NEVER", { statuses: ["SENT", "OPENED", "NEVER"] }],
  ["?provider=a&provider=b,c", { providers: ["a", "b", "c"] }],
  ["?provider=relay", { providers: ["relay", "smtp"] }],
  ["?tag=a&tags=b%2Cc", { tags: ["a", "b", "c"] }],
  ["?enqueued_after=2026-01-01T00:00:00Z", { enqueuedAfter: Date.UTC(2026, 0, 1) }],
  ["?enqueued_after=1767225600000", { enqueuedAfter: Date.UTC(2026, 0, 1) }],
  ["?enqueued_after=1767225600", { enqueuedAfter: Date.UTC(2026, 0, 1) }],
  ["?enqueued_after=2026-01-01T02:00:00%2B02:00", { enqueuedAfter: Date.UTC(2026, 0, 1) }],
  // As written by hand: a plus in a query is a space.
  ["?enqueued_after=2026-01-01T02:00:00+02:00", { enqueuedAfter: Date.UTC(2026, 0, 1) }],
  ["?enqueued_after=2026-01-01+02:00", { enqueuedAfter: Date.UTC(2026, 0, 1, 2) }],
  [
    "?event=e&list=l&messageId=m&notification=n&recipient=r%40x&tenant_id=t&traceId=i&other=1",
    { event: "e", list: "l", messageId: "m", notification: "n", recipient: "r@x", tenantId: "t", traceId: "i" }
  ]
]

describe("Messages", () => {
  it.effect("the timeline tells what a send overrides, without the credentials of it", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const channels = { email: { override: { subject: "Hi" } }, inbox: { timeouts: { channel: 1 } } }
      const providers = { twilio: { override: { body: { From: "1" }, config: { auth_token: "secret" } } } }
      yield* call("POST", "/send", { body: message(undefined, { channels, providers }) })
      const { text } = yield* call("GET", `/messages/${only(state)}/history?type=ENQUEUED`)
      assert.include(
        text,
        "\"override\":{\"twilio\":{\"body\":{\"From\":\"1\"}},\"channel\":{\"email\":{\"subject\":\"Hi\"}}}"
      )
      assert.notInclude(text, "secret")
    }))

  it.effect.each(questions)("GET /messages%s asks the log for that", ([search, asked]) =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      assert.strictEqual((yield* call("GET", `/messages${search}`)).status, 200)
      assert.deepStrictEqual(state.queries, [{ ...everything, ...asked }])
    }))

  it.effect.each(["limit=x", "archived=maybe", "enqueued_after=soon", "cursor=bad", "event=a&event=b"])(
    "GET /messages?%s is 400",
    (search) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        assert.strictEqual((yield* call("GET", `/messages?${search}`)).status, 400)
      })
  )

  it.effect("a page with more to come has a cursor", () =>
    Effect.gen(function*() {
      const { call } = yield* sent
      const page = Effect.map(call("GET", "/messages?limit=1"), ({ body }) => Reflect.get(Object(body), "paging"))
      assert.deepStrictEqual(yield* page, { more: false })
      yield* call("POST", "/send", { body: message() })
      assert.deepStrictEqual(yield* page, { more: true, cursor: "next" })
    }))

  it.effect("a message is told with its providers", () =>
    Effect.gen(function*() {
      const { call, id } = yield* sent
      assert.deepStrictEqual((yield* call("GET", `/messages/${id}`)).body, {
        id,
        status: "ENQUEUED",
        enqueued: 0,
        event: "",
        notification: "",
        recipient: "ada",
        requestId: id,
        metadata: { tags: [] },
        willRetry: false,
        archived: false,
        providers: [{
          channel: { key: "inbox", name: "inbox", template: "" },
          provider: "inbox",
          status: "SENT",
          sent: 5,
          reference: { id: "ref-1" }
        }]
      })
    }))

  it.effect("the timeline joins what the message holds", () =>
    Effect.gen(function*() {
      const { call, id } = yield* sent
      const inbox = { channel: { id: "inbox" }, integration: { id: "inbox", provider: "inbox" } }
      const output = Object.fromEntries(
        ["title", "body", "subject", "text"].map((part) => [part, `/messages/${id}/output/1/${part}`])
      )
      assert.deepStrictEqual((yield* call("GET", `/messages/${id}/history`)).body, {
        results: [
          { type: "ENQUEUED", ts: 0, event: "", recipient: "ada", data: {}, profile: { user_id: "ada" }, override: {} },
          { type: "RENDERED", ts: 0, ...inbox, attempt: 1, output },
          { type: "SENT", ts: 0, ...inbox, attempt: 1 }
        ]
      })
      assert.deepStrictEqual((yield* call("GET", `/messages/${id}/history?type=SENT`)).body, {
        results: [{ type: "SENT", ts: 0, ...inbox, attempt: 1 }]
      })
      assert.strictEqual((yield* call("GET", `/messages/${id}/history?type=LOST`)).status, 400)
    }))

  it.effect("the output is what each channel was given", () =>
    Effect.gen(function*() {
      const { call, id } = yield* sent
      assert.deepStrictEqual((yield* call("GET", `/messages/${id}/output`)).body, {
        results: [{
          channel: "inbox",
          channel_id: "inbox",
          content: { html: "", subject: "Hello", title: "Hello", body: "Hi", text: "Hi", blocks: [] }
        }]
      })
    }))

  it.effect("each part that a rendering points at is read there, and no other", () =>
    Effect.gen(function*() {
      const { call, id } = yield* sent
      const body = yield* call("GET", `/messages/${id}/output/1/body`)
      assert.deepStrictEqual([body.status, body.text, body.headers.get("content-type")], [
        200,
        "Hi",
        "text/plain; charset=utf-8"
      ])
      assert.match(body.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/)
      assert.strictEqual((yield* call("GET", `/messages/${id}/output/1/title`)).text, "Hello")
      for (const path of ["1/html", "1/blocks", "1/toString", "2/body", "01/body", "undefined/body"]) {
        const { body, status } = yield* call("GET", `/messages/${id}/output/${path}`)
        const [output, part] = path.split("/")
        const message = `The ${part} of output ${output} of message ${id} not found`
        assert.deepStrictEqual([status, body], [404, { message, type: "invalid_request_error" }])
      }
    }))

  it.effect.each([nobody, "x", "a%2Fb", "%20"])("the message %s is 404 everywhere", (id) =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const answers = yield* Effect.all([
        call("GET", `/messages/${id}`),
        call("GET", `/messages/${id}/history`),
        call("GET", `/messages/${id}/output`),
        call("GET", `/messages/${id}/output/1/html`),
        call("POST", `/messages/${id}/cancel`),
        call("POST", `/messages/${id}/resend`)
      ])
      const body = { message: `Message ${decodeURIComponent(id)} not found`, type: "invalid_request_error" }
      for (const answer of answers) assert.deepStrictEqual([answer.status, answer.body], [404, body])
      assert.strictEqual((yield* call("PUT", `/requests/${id}/archive`)).status, 404)
    }))

  it.effect("a cancel is 200, and a second one too", () =>
    Effect.gen(function*() {
      const { call, id } = yield* sent
      const first = yield* call("POST", `/messages/${id}/cancel`)
      assert.deepInclude(Object(first.body), { id, status: "CANCELED", canceledAt: 0 })
      const second = yield* call("POST", `/messages/${id}/cancel`)
      assert.deepStrictEqual([second.status, second.text], [200, first.text])
    }))

  it.effect("a cancel that comes too late is 409 with the record and the error's members, and final", () =>
    Effect.gen(function*() {
      const { call, id, state } = yield* sent
      state.inFlight = true
      const answer = yield* call("POST", `/messages/${id}/cancel`)
      assert.strictEqual(answer.status, 409)
      assert.strictEqual(answer.headers.get("x-should-retry"), "false")
      assert.deepInclude(Object(answer.body), {
        id,
        status: "ENQUEUED",
        message: "A message that is ENQUEUED cannot be cancelled",
        type: "invalid_request_error"
      })
      assert.strictEqual(Reflect.has(Object(answer.body), "_tag"), false)
    }))

  it.effect("a resend is a new message", () =>
    Effect.gen(function*() {
      const { call, id, state } = yield* sent
      const answer = yield* call("POST", `/messages/${id}/resend`)
      const [, second] = state.messages.keys()
      assert.deepStrictEqual([answer.status, answer.body], [200, { messageId: second }])
    }))

  it.effect("a resend says at once what its original said, of the template as that was sent with, whoever asks for it", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const delay = { duration: 3_600_000 }
      for (const [sender, keyState] of [["dk_prod_a", "draft"], ["pk_prod_a", "published"]] as const) {
        state.messages.clear()
        const to = { user_id: "ada", data: { a: 1 } }
        yield* call("POST", "/send", { key: sender, body: message(to, { delay, metadata: { tags: ["t"] } }) })
        const original = state.messages.get(only(state))?.message
        assert.deepStrictEqual([original?.keyState, original?.status], [keyState, "DELAYED"])
        const asker = sender === "dk_prod_a" ? "pk_prod_a" : "dk_prod_a"
        yield* call("POST", `/messages/${only(state)}/resend`, { key: asker })
        const again = [...state.messages.values()].at(-1)?.message
        const { delay: _, ...said } = original?.instructions ?? {}
        assert.notStrictEqual(again?.id, original?.id)
        assert.deepStrictEqual([again?.keyState, again?.status, again?.dueAt], [keyState, "ENQUEUED", 0])
        assert.deepStrictEqual([again?.recipient, again?.instructions], [original?.recipient, said])
      }
    }))

  it.effect("what stands for a list that does not exist is no message to one, and is not sent to many by a resend", () =>
    Effect.gen(function*() {
      const { call, id, state } = yield* sent
      const stored = state.messages.get(id)
      assert.isDefined(stored)
      if (stored === undefined) return
      state.messages.set(id, { ...stored, message: { ...stored.message, recipient: { list_id: "none" } } })
      const answer = yield* call("POST", `/messages/${id}/resend`)
      assert.deepStrictEqual([answer.status, answer.body], [400, {
        message: "The list none is no recipient of one message: send to it with POST /send",
        type: "invalid_request_error"
      }])
      assert.deepStrictEqual([state.messages.size, state.expansions.size], [1, 0])
    }))

  it.effect("an archive is 204 without a content type, each time", () =>
    Effect.gen(function*() {
      const { call, id, state } = yield* sent
      const answers = yield* Effect.all([
        call("PUT", `/requests/${id}/archive`),
        call("PUT", `/requests/${id}/archive`)
      ])
      for (const { headers, status, text } of answers) {
        assert.deepStrictEqual([status, text, headers.get("content-type")], [204, "", null])
      }
      assert.deepStrictEqual(state.archived, [id, id])
    }))

  it.effect("the inbox of a user", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      assert.deepStrictEqual((yield* call("GET", "/users/ada%40x/inbox")).body, {
        paging: { more: false },
        results: [{
          messageId: "1-00000001-000000000000000000000001",
          title: "Hello",
          body: "Hi",
          actions: [],
          created: 7
        }]
      })
    }))
})
