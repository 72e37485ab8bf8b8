import * as Server from "#layers/cli/Server.ts"
import { MessageDetails } from "#schemas/api/MessageDetails.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { undelivered } from "#test/layers/cli/Undelivered.ts"
import * as TestCertificate from "#test/layers/outbound/TestCertificate.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { createServer } from "node:https"

const encode = Schema.encodeSync(MessageDetails)

const message = (number: number, error: string) => {
  const id = MessageId.make(`1-6553f100-${String(number).padStart(24, "0")}`)
  return encode(undelivered(id, { enqueued: 0, reason: "FAILED", error }))
}

/** A client of a server that gives these answers, by method and path with query; everything else is a 404. */
const client = Effect.fnUntraced(function*(answers: Readonly<Record<string, unknown>>) {
  const asked: Array<string> = []
  const server = yield* Server.make({ url: "http://tidings.test", key: Redacted.make("pk_prod_x") }).pipe(
    Effect.provideService(
      HttpClient.HttpClient,
      HttpClient.make((request, url) => {
        const name = `${request.method} ${url.pathname}${url.search}`
        asked.push(name)
        const status = name in answers ? 200 : 404
        return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(answers[name] ?? {}, { status })))
      })
    )
  )
  return { server, asked }
})

const page = (results: ReadonlyArray<unknown>, cursor?: string) => ({
  paging: { more: cursor !== undefined, ...(cursor === undefined ? {} : { cursor }) },
  results
})
const undeliverable = "GET /messages?limit=100&status=UNDELIVERABLE"
const requests = "GET /requests?limit=100&state=FAILED"

describe("A client of the server's API", () => {
  it.effect("of what cannot be delivered only what the engine set aside is in quarantine, however far back it is", () =>
    Effect.gen(function*() {
      const quarantined = (number: number) => message(number, "Quarantined after 5 tries")
      const { server } = yield* client({
        [undeliverable]: page([message(1, "Mailbox not found"), quarantined(2)], "a/b"),
        [`${undeliverable}&cursor=a%2Fb`]: page([message(3, "The text says Quarantined")], "c"),
        [`${undeliverable}&cursor=c`]: page([quarantined(4)]),
        [requests]: page([])
      })
      const found = yield* Stream.runCollect(server.quarantined)
      assert.deepStrictEqual(found.map(({ id }) => Number(id.at(-1))), [2, 4])
    }))

  it.effect("all of them are found, messages and then requests, each page when the one before has been dealt with", () =>
    Effect.gen(function*() {
      const all = Array.from({ length: 101 }, (_, number) => message(number, "Quarantined after 5 tries"))
      const failed = {
        requestId: "1-6553f100-000000000000000000000abc",
        state: "FAILED",
        messages: 1,
        enqueued: 0,
        archived: false
      }
      const { asked, server } = yield* client({
        [undeliverable]: page(all.slice(0, 60), "a"),
        [`${undeliverable}&cursor=a`]: page(all.slice(60)),
        [requests]: page([failed])
      })
      const seen: Array<readonly [string, number]> = []
      yield* Stream.runForEach(server.quarantined, ({ id }) => Effect.sync(() => void seen.push([id, asked.length])))
      const ids = [...all.map(({ id }) => id), failed.requestId]
      assert.deepStrictEqual(seen, ids.map((id, n) => [id, n < 60 ? 1 : n < 101 ? 2 : 3] as const))
    }))

  it.effect("what was replayed is archived, so that it is in quarantine no more, and hides no other message", () =>
    Effect.gen(function*() {
      const aside = message(1, "Quarantined after 5 tries")
      const member = { ...message(2, "Quarantined after 5 tries"), requestId: aside.id }
      const bounced = message(3, "Mailbox not found")
      const { asked, server } = yield* client({
        ...Object.fromEntries([aside, member, bounced].flatMap((body) => [
          [`POST /messages/${body.id}/resend`, { messageId: "again" }],
          [`GET /messages/${body.id}`, body]
        ])),
        [`PUT /requests/${aside.id}/archive`]: {}
      })
      for (const { id } of [aside, member, bounced])
        assert.deepStrictEqual(yield* server.replay(id), { id, replayed_as: "again" })
      assert.deepStrictEqual(asked.filter((name) => name.startsWith("PUT")), [`PUT /requests/${aside.id}/archive`])
    }))

  it.effect("a replay whose message could not be archived has sent it, and says so", () =>
    Effect.gen(function*() {
      const aside = message(1, "Quarantined after 5 tries")
      const { server } = yield* client({
        [`POST /messages/${aside.id}/resend`]: { messageId: "again" },
        [`GET /messages/${aside.id}`]: aside
      })
      assert.deepStrictEqual(yield* server.replay(aside.id), { id: aside.id, replayed_as: "again" })
    }))

  it.effect("where no answer comes it is said why, and the URL is not blamed for a silent server or its certificate", () =>
    Effect.gen(function*() {
      const asking = Effect.fnUntraced(function*(url: string) {
        const { cluster } = yield* Server.make({ url, key: Redacted.make("pk_prod_x") })
        return yield* Effect.flip(cluster)
      })
      const silent = yield* asking("http://tidings.test").pipe(
        Effect.provideService(HttpClient.HttpClient, HttpClient.make(() => Effect.never)),
        Effect.forkChild
      )
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(
        (yield* Fiber.join(silent)).sentence,
        "No Tidings server answers at http://tidings.test: it was silent for 10 s"
      )
      const https = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer(TestCertificate).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const address = https.address()
      const url = `https://127.0.0.1:${address === null || typeof address === "string" ? "" : address.port}`
      const { code, sentence } = yield* Effect.provide(asking(url), FetchHttpClient.layer)
      assert.strictEqual(code, 3)
      assert.include(sentence, `No Tidings server answers at ${url}: self-signed certificate`)
      assert.notInclude(sentence, "set TIDINGS_URL")
    }))

  it.effect("another server, whose answer to everything is that there is no such page, is not taken for an idle one", () =>
    Effect.gen(function*() {
      const { server } = yield* client({})
      const questions = {
        cluster: server.cluster,
        quarantined: Stream.runDrain(server.quarantined),
        find: server.find(["1-0"]),
        replay: server.replay("1-0")
      }
      for (const [name, question] of Object.entries(questions)) {
        const { code, sentence } = yield* Effect.flip(Effect.asVoid<unknown, Server.Stopped, never>(question))
        assert.deepStrictEqual(
          [code, sentence],
          [1, "What answers at http://tidings.test is not a Tidings server of this version"],
          name
        )
      }
    }))

  it.effect("an id that nothing has is told from an empty one, for which no server is asked", () =>
    Effect.gen(function*() {
      const { asked, server } = yield* client({
        "GET /messages?limit=1": page([]),
        "GET /messages?limit=100&archived=true&traceId=1-0": page([])
      })
      for (const question of [server.find(["1-0"]), server.replay("1-0")]) {
        const { code, sentence } = yield* Effect.flip(Effect.asVoid<unknown, Server.Stopped, never>(question))
        assert.strictEqual(code, 5)
        assert.include(sentence, "No message and no request has the id 1-0")
      }
      asked.length = 0
      for (const question of [server.find([""]), server.replay("")]) {
        const { code, sentence } = yield* Effect.flip(Effect.asVoid<unknown, Server.Stopped, never>(question))
        assert.strictEqual(code, 5)
        assert.include(sentence, "The id is empty")
      }
      assert.deepStrictEqual(asked, [])
    }))
})
