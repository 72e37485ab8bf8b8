import * as Callbacks from "#layers/http/routes/Callbacks.ts"
import * as Edge from "#layers/http/Edge.ts"
import { createServer } from "#layers/http/NodeServer.ts"
import * as References from "#layers/memory/References.ts"
import * as Twilio from "#layers/providers/receipts/Twilio.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { CallbackReaders, CallbackTargets } from "#src/reports/Callbacks.ts"
import * as Receiving from "#src/reports/Callbacks.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Receipts from "#src/reports/Receipts.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import twilio from "twilio"

const token = "2b2c4f0fae1e4a6a8f0f0d1cf9c9e1d2"

/** The route on a port of its own, before real stores in memory that hold one message in Twilio's hands. */
const serve = Effect.gen(function*() {
  const place = yield* Fixture.world
  let down = false
  const heard: Array<string> = []
  const targets = Layer.succeed(CallbackTargets, {
    find: (id) =>
      Effect.suspend(() =>
        down
          ? Effect.fail(new StoreUnavailable({ cause: "planted" }))
          : Effect.succeed(
            id === "pc_1" || id === "pc_2"
              ? Option.some({
                scope: place.scope,
                provider: id === "pc_1" ? "twilio" : "slack",
                names: ["twilio", id],
                settings: { auth_token: token }
              })
              : Option.none()
          )
      )
  })
  const context = yield* Layer.build(
    HttpRouter.serve(Layer.merge(Edge.layer, Callbacks.layer), { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(
        NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })
      ),
      Layer.provide(Receiving.layer),
      Layer.provide(Receipts.layer),
      Layer.provide([targets, Layer.succeed(CallbackReaders, new Map([["twilio", Twilio.reader]]))]),
      Layer.provideMerge(References.layer.pipe(Layer.provideMerge(Stores.layer))),
      Layer.provideMerge(Logger.layer([Logger.make(({ message }) => heard.push(String(message)))]))
    )
  )
  const origin = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provideContext(context))
  const message = yield* Effect.gen(function*() {
    const journal = yield* Journal
    const { epoch } = yield* journal.take(place.shard, "node", place.at)
    const message = yield* Fixture.accepted(place)
    const attempt = Fixture.attempt(1, "intent", { channel: "sms", provider: "twilio" })
    yield* journal.record(Fixture.step(message, epoch, { lifecycle: ["Route"], attempt }))
    return message
  }).pipe(Effect.provideContext(context))
  const stored = MessageLog.use((log) =>
    Effect.all([
      log.get(place.scope, message.id),
      log.attempts(place.scope, message.id),
      log.history(place.scope, message.id)
    ])
  ).pipe(Effect.provideContext(context))

  const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}, method = "POST") =>
    Effect.promise(async () => {
      const response = await fetch(`${origin}${path}`, { method, headers, ...(method === "GET" ? {} : { body }) })
      return { status: response.status, text: await response.text(), headers: response.headers }
    })
  const path = `/callbacks/pc_1?tidings_message_id=${message.id}`
  const form = { MessageSid: "SM1", MessageStatus: "delivered", To: "+15558675310" }
  const genuine = {
    body: new URLSearchParams(form).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-forwarded-host": "tidings.example",
      "x-twilio-signature": twilio.getExpectedTwilioSignature(token, `https://tidings.example${path}`, form)
    }
  }
  return {
    post,
    path,
    genuine,
    stored,
    message,
    heard,
    fail: () =>
      Effect.sync(() => {
        down = true
      })
  }
})

describe("POST /callbacks/:configuration_id", () => {
  it.live("takes a signed callback without a key: 200, since Postmark repeats any other, and {}, before its call is settled and again afterwards", () =>
    Effect.gen(function*() {
      const { genuine, path, post, stored } = yield* serve
      for (const _ of [1, 2, 3]) {
        const { status, text } = yield* post(path, genuine.body, genuine.headers)
        assert.deepStrictEqual([status, text], [200, "{}"])
      }
      const [record, [attempt], history] = yield* stored
      assert.strictEqual(record.status, "DELIVERED")
      assert.deepInclude(attempt, { state: "accepted", reference: "SM1" })
      assert.deepStrictEqual(history.map(({ type }) => type), ["ENQUEUED", "DELIVERED"])
    }))

  it.live("refuses a forged one with 401 {message, type}, and nothing changes; many are one line of the log", () =>
    Effect.gen(function*() {
      const { genuine, heard, path, post, stored } = yield* serve
      const before = yield* stored
      const { headers } = genuine
      const bodies = Array.from(
        genuine.body,
        (char, index) =>
          genuine.body.slice(0, index) + String.fromCharCode(char.charCodeAt(0) ^ 1) + genuine.body.slice(index + 1)
      )
      const answers = [
        ...(yield* Effect.forEach(bodies, (body) => post(path, body, headers))),
        yield* post(path, "", headers),
        yield* post(path, genuine.body, { ...headers, "x-twilio-signature": "" }),
        yield* post(path, genuine.body, { ...headers, "x-twilio-signature": "=" }),
        yield* post(path, genuine.body, { ...headers, "x-forwarded-host": "elsewhere.example" }),
        yield* post(`${path}&more=1`, genuine.body, headers),
        yield* post("/callbacks/pc_1", genuine.body, headers)
      ]
      for (const { status, text } of answers) {
        assert.deepStrictEqual([status, JSON.parse(text)], [
          401,
          { message: "The callback is not signed by its provider", type: "authentication_error" }
        ])
      }
      assert.deepStrictEqual(yield* stored, before)
      assert.lengthOf(heard, 1)
      assert.match(heard[0] ?? "", /^A callback was refused/)
    }))

  it.live("is 404 for an unknown configuration, and for one whose vendor does not call back", () =>
    Effect.gen(function*() {
      const { genuine, post } = yield* serve
      for (const id of ["pc_9", "pc_2", "nothing", "..", "pc_1%2f", "x".repeat(300), "__proto__"]) {
        const { status, text } = yield* post(`/callbacks/${id}`, genuine.body, genuine.headers)
        assert.deepStrictEqual([status, JSON.parse(text)], [404, {
          message: "Not Found",
          type: "invalid_request_error"
        }], id)
      }
      assert.strictEqual((yield* post("/callbacks/pc_1", "", {}, "GET")).status, 404)
    }))

  it.live("reads no more than 6 MB", () =>
    Effect.gen(function*() {
      const { genuine, path, post } = yield* serve
      const { status } = yield* post(path, "a".repeat(6 * 1024 * 1024 + 1), genuine.headers)
      assert.strictEqual(status, 413)
    }))

  it.live("P1: asks the provider to come again while the store is away", () =>
    Effect.gen(function*() {
      const { fail, genuine, path, post } = yield* serve
      yield* fail()
      const { headers, status } = yield* post(path, genuine.body, genuine.headers)
      assert.strictEqual(status, 503)
      assert.isNotNull(headers.get("retry-after"))
    }))
})
