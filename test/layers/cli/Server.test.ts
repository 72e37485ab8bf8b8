import * as Server from "#layers/cli/Server.ts"
import { MessageDetails } from "#schemas/api/MessageDetails.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { undelivered } from "#test/layers/cli/Undelivered.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

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
