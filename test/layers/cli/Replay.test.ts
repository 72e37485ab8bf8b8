import * as IdempotencyHeaders from "#src/access/IdempotencyHeaders.ts"
import { key, post, server, tidings, Url } from "#test/layers/cli/Command.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"

describe("tidings replay", () => {
  layer(server, { timeout: 120_000 })((it) => {
    it.effect(
      "sends a message again once, however often it is asked to",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const environment = { TIDINGS_URL: url, TIDINGS_API_KEY: key }
            const id = await post(url, { user_id: "ada" })
            const first = await tidings("node", environment, "replay", id)
            assert.match(first.stdout, new RegExp(`^${id} is sent again as 1-`))
            assert.deepStrictEqual(await tidings("node", environment, "replay", id), first)
          })),
      120_000
    )
  })

  it.effect(
    "lists the requests to many that were set aside beside the messages, and lets them go on",
    () =>
      Effect.promise(async () => {
        const request = { requestId: "1-0000000a-000000000000000000000000", messages: 7, enqueued: 5, archived: false }
        const paging = { more: false }
        const answers: Readonly<Record<string, unknown>> = {
          "GET /messages": { paging, results: [] },
          "GET /requests": { paging, results: [{ ...request, state: "FAILED", error: "Quarantined" }] },
          [`GET /requests/${request.requestId}`]: { ...request, state: "FAILED", error: "Quarantined" },
          [`POST /requests/${request.requestId}/resume`]: { ...request, state: "RUNNING" }
        }
        const stub = createServer((asked, response) => {
          const [path = ""] = (asked.url ?? "").split("?")
          const answer = answers[`${asked.method} ${path}`]
          response.statusCode = answer === undefined ? 404 : 200
          response.setHeader("content-type", "application/json").end(JSON.stringify(answer ?? {}))
        }).listen(0, "127.0.0.1")
        await once(stub, "listening")
        const address = stub.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const environment = { TIDINGS_URL: `http://127.0.0.1:${port}`, TIDINGS_API_KEY: key }
        const listed = await tidings("node", environment, "replay", "--list")
        const resumed = await tidings("node", environment, "replay")
        const json = await tidings("node", environment, "replay", request.requestId, "--json")
        stub.close()
        assert.strictEqual(listed.stdout, `${request.requestId} is a request to many, FAILED\n`, listed.stderr)
        assert.strictEqual(resumed.stdout, `${request.requestId} is a request to many, RUNNING\n`)
        assert.deepStrictEqual(JSON.parse(json.stdout), [{ id: request.requestId, request: "RUNNING" }])
      }),
    120_000
  )

  for (const state of ["COMPLETED", "RUNNING"]) {
    it.effect(
      `says that a request to many which is ${state} has nothing to replay, and asks the server for nothing`,
      () =>
        Effect.promise(async () => {
          const requestId = "1-0000000a-000000000000000000000000"
          const asked: Array<string> = []
          const stub = createServer(({ method, url }, response) => {
            asked.push(`${method} ${url}`)
            response.statusCode = url?.startsWith("/requests") === true ? 200 : 404
            response.setHeader("content-type", "application/json")
              .end(JSON.stringify({ requestId, state, messages: 7, enqueued: 5, archived: false }))
          }).listen(0, "127.0.0.1")
          await once(stub, "listening")
          const address = stub.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          const environment = { TIDINGS_URL: `http://127.0.0.1:${port}`, TIDINGS_API_KEY: key }
          const replayed = await tidings("node", environment, "replay", requestId)
          stub.close()
          assert.deepStrictEqual(replayed, {
            code: 0,
            stdout: `${requestId} is a request to many, ${state}: it is not set aside, so there is nothing to replay\n`,
            stderr: ""
          })
          assert.notInclude(asked, `POST /requests/${requestId}/resume`)
        }),
      120_000
    )
  }

  it.effect(
    "tells in the server's own words why it cannot answer, and why it is not ready",
    () =>
      Effect.promise(async () => {
        let isReady = false
        const stub = createServer(({ url }, response) => {
          const message = url === "/health/ready" ? "the database's disk is full" : "The service is not available"
          response.statusCode = isReady && url === "/health/ready" ? 200 : 503
          response.setHeader("content-type", "application/json").end(JSON.stringify({ message, type: "api_error" }))
        }).listen(0, "127.0.0.1")
        await once(stub, "listening")
        const address = stub.address()
        const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        const environment = { TIDINGS_URL: url, TIDINGS_API_KEY: key }
        const said = `${url} answered 503: The service is not available`
        assert.deepStrictEqual(await tidings("node", environment, "cluster"), {
          code: 1,
          stdout: "",
          stderr: `${said}: the database's disk is full; try again later\n`
        })
        isReady = true
        const { stderr } = await tidings("node", environment, "trace", "1-0")
        stub.close()
        assert.strictEqual(stderr, `${said}; try again later\n`)
      }),
    120_000
  )

  it.effect(
    "tells why the server refuses one, after the others have gone",
    () =>
      Effect.promise(async () => {
        const stub = createServer((asked, response) => {
          response.statusCode = asked.url === "/messages/1-0/resend" ? 400 : 200
          const answer = response.statusCode === 400 ?
            { message: "The list is gone", type: "invalid_request_error" } :
            {
              messageId: "again"
            }
          response.setHeader("content-type", "application/json").end(JSON.stringify(answer))
        }).listen(0, "127.0.0.1")
        await once(stub, "listening")
        const address = stub.address()
        const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        const replayed = await tidings("node", { TIDINGS_URL: url, TIDINGS_API_KEY: key }, "replay", "1-0", "1-1")
        stub.close()
        assert.deepStrictEqual(replayed, {
          code: 6,
          stdout: "1-1 is sent again as again\n",
          stderr: `${url} refuses 1-0: The list is gone\n`
        })
      }),
    120_000
  )

  it.effect(
    "asks for the key to be kept as long as any is: a day later it must not be sent a second time",
    () =>
      Effect.promise(async () => {
        const seen: Array<IncomingHttpHeaders> = []
        const stub = createServer((request, response) => {
          seen.push(request.headers)
          response.setHeader("content-type", "application/json").end(JSON.stringify({ messageId: "again" }))
        }).listen(0, "127.0.0.1")
        await once(stub, "listening")
        const address = stub.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        await tidings("node", { TIDINGS_URL: `http://127.0.0.1:${port}`, TIDINGS_API_KEY: key }, "replay", "1-0")
        stub.close()
        const [headers = {}] = seen
        const kept = await Effect.runPromise(
          IdempotencyHeaders.parse(String(headers["idempotency-key"]), String(headers["x-idempotency-expiration"]), 0)
        )
        assert.strictEqual(kept.expiresAt, 365 * 86_400_000)
      }),
    120_000
  )
})
