import * as Ports from "#test/support/Ports.ts"
import { ready, run, type runtimes, serve } from "#test/support/MainProcess.ts"
import * as IdempotencyHeaders from "#src/access/IdempotencyHeaders.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

const secret = "commandcommandcommandcommandcommand"
const key = `pk_prod_${secret}`

class Url extends Context.Service<Url, string>()("test/Url") {}

/** A real server on an embedded store. */
const server = Layer.effect(
  Url,
  Effect.gen(function*() {
    const directory = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "tidings-command-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    const port = yield* Effect.promise(() => Ports.free())
    const environment = { TIDINGS_DATA_DIR: directory, TIDINGS_DURABILITY: "process", TIDINGS_BOOTSTRAP_SECRET: secret }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => serve("node", port, environment)),
      (server) => Effect.promise(server.kill)
    )
    yield* Effect.promise(() => ready(server, port))
    return `http://127.0.0.1:${port}`
  })
)

const post = async (url: string, to: unknown, metadata: unknown = {}): Promise<string> => {
  const message = {
    to,
    metadata,
    content: { title: "t", body: "b" },
    routing: { method: "single", channels: ["inbox"] }
  }
  const response = await fetch(`${url}/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ message })
  })
  return (await response.json()).requestId
}

const put = async (url: string, path: string): Promise<void> => {
  const { ok } = await fetch(`${url}${path}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "n" })
  })
  assert.isTrue(ok, path)
}

const tidings = async (
  runtime: keyof typeof runtimes,
  environment: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
) => {
  const command = run(runtime, "layers/cli/Tidings.ts", environment, args)
  const { code } = await command.ended
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}

describe("tidings trace", () => {
  layer(server, { timeout: 120_000 })((it) => {
    for (const runtime of ["node", "deno"] as const) {
      it.effect(
        `prints a message's timeline and the messages of a request, on ${runtime}`,
        () =>
          Effect.flatMap(Url, (url) =>
            Effect.promise(async () => {
              const environment = { TIDINGS_URL: url, TIDINGS_API_KEY: key }
              const id = await post(url, { user_id: "ada" })
              let one = await tidings(runtime, environment, "trace", id)
              for (let asked = 0; asked < 20 && !one.stdout.includes("SENT"); asked++)
                one = await tidings(runtime, environment, "trace", id)
              assert.strictEqual(one.code, 0, one.stderr)
              const [status = "", ...events] = one.stdout.trim().split("\n")
              assert.match(status, new RegExp(`^SENT  ${id}  to ada  `))
              assert.deepStrictEqual(
                events.map((line) => line.trim().split(/ {2,}/)[1]),
                ["ENQUEUED", "MAPPED", "PROFILE_LOADED", "ROUTED", "RENDERED", "DELIVERING", "SENT"].filter((type) =>
                  one.stdout.includes(type)
                )
              )
              const byTrace = await tidings(
                runtime,
                {},
                "trace",
                // As it is pasted.
                ` ${id.replaceAll("-", "").slice(1)} `,
                "--url",
                `${url}/`,
                "--key",
                key
              )
              assert.deepStrictEqual(byTrace, one)
              const json = JSON.parse((await tidings(runtime, environment, "trace", id, "--json")).stdout)
              assert.deepStrictEqual([json.message.id, json.events[0].type], [id, "ENQUEUED"])

              const request = await post(url, [{ user_id: "a" }, { user_id: "b" }])
              const many = await tidings(runtime, environment, "trace", request)
              assert.strictEqual(many.code, 0, many.stderr)
              const [title, ...lines] = many.stdout.trim().split("\n")
              assert.strictEqual(title, `Request ${request}: 2 messages`)
              assert.strictEqual(lines.length, 2)
            })),
        60_000
      )
    }

    it.effect(
      "says that what it found could not be written, unless its reader has read enough",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const id = await post(url, { user_id: "ada" })
            const environment = { ...process.env, TIDINGS_URL: url, TIDINGS_API_KEY: key }
            const shell = async (line: string) => {
              const child = spawn("bash", ["-c", line, process.execPath, "layers/cli/Tidings.ts", id], {
                env: environment
              })
              let stderr = ""
              child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
              const [code] = await once(child, "close")
              return { code, stderr }
            }
            assert.deepStrictEqual(await shell("\"$0\" \"$1\" trace \"$2\" > /dev/full"), {
              code: 1,
              stderr: "Cannot write to standard output: ENOSPC: no space left on device, write\n"
            })
            assert.deepStrictEqual(await shell("\"$0\" \"$1\" trace \"$2\" | true; exit ${PIPESTATUS[0]}"), {
              code: 0,
              stderr: ""
            })
          })),
      60_000
    )

    it.effect(
      "knows a request that has no messages, and one that was archived",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const environment = { TIDINGS_URL: url, TIDINGS_API_KEY: key }
            await put(url, "/lists/nobody")
            const none = await post(url, { list_id: "nobody" })
            const empty = await tidings("node", environment, "trace", none)
            assert.match(empty.stdout, new RegExp(`^Request ${none}: 0 messages`))
            assert.strictEqual(empty.code, 0, empty.stderr)

            const request = await post(url, [{ user_id: "a" }, { user_id: "b" }])
            await put(url, `/requests/${request}/archive`)
            const [title, ...lines] = (await tidings("node", environment, "trace", request)).stdout.trim().split("\n")
            assert.deepStrictEqual([title, lines.length], [`Request ${request}: 2 messages, archived`, 2])
          })),
      60_000
    )

    it.effect(
      "finds messages by a caller's own trace id, which may look like ours",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const environment = { TIDINGS_URL: url, TIDINGS_API_KEY: key }
            const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            const ids = [
              await post(url, { user_id: "ada" }, { trace_id: trace }),
              await post(url, { user_id: "bob" }, { trace_id: trace })
            ]
            const [title, ...lines] = (await tidings("node", environment, "trace", trace)).stdout.trim().split("\n")
            assert.strictEqual(title, `Trace ${trace}: 2 messages`)
            assert.deepStrictEqual(lines.map((line) => line.trim().split(/ {2,}/)[1]), ids.toReversed())
          })),
      60_000
    )

    it.effect(
      "says in one sentence why it cannot, with an exit code of its own",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const nobody = "1-00000000-000000000000000000000000"
            const closed = `http://127.0.0.1:${await Ports.free()}`
            for (
              const [environment, code, sentence] of [
                [{ TIDINGS_URL: url }, 2, "No API key: set TIDINGS_API_KEY or --key"],
                [
                  { TIDINGS_URL: closed, TIDINGS_API_KEY: key },
                  3,
                  `No Tidings server answers at ${closed}; set TIDINGS_URL or --url`
                ],
                [{ TIDINGS_URL: url, TIDINGS_API_KEY: "pk_prod_no" }, 4, `${url} refuses the API key`],
                [
                  { TIDINGS_URL: url, TIDINGS_API_KEY: key },
                  5,
                  `No message and no request has the id ${nobody} in this key's environment`
                ],
                [
                  { PORT: url.slice(url.lastIndexOf(":") + 1), TIDINGS_API_KEY: key },
                  5,
                  `No message and no request has the id ${nobody} in this key's environment`
                ]
              ] as const
            ) {
              assert.deepStrictEqual(await tidings("node", environment, "trace", nobody), {
                code,
                stdout: "",
                stderr: `${sentence}\n`
              })
            }
            assert.strictEqual((await tidings("node", {}, "trace")).code, 1)
            // In a URL's path these two name another path.
            for (const command of ["trace", "replay"]) {
              for (const dots of [".", ".."]) {
                assert.deepStrictEqual(
                  await tidings("node", { TIDINGS_URL: url, TIDINGS_API_KEY: key }, command, dots),
                  {
                    code: 5,
                    stdout: "",
                    stderr: `No message and no request has the id ${dots} in this key's environment\n`
                  },
                  `${command} ${dots}`
                )
              }
            }
          })),
      60_000
    )

    it.effect(
      "tells a setting that cannot be one from a server that does not answer",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const address = url.slice("http://".length)
            for (
              const [environment, id, code, sentence] of [
                [
                  { TIDINGS_URL: url, TIDINGS_API_KEY: "…" },
                  "1-0",
                  2,
                  "The API key has characters that no key has: set TIDINGS_API_KEY or --key to one that the first start printed"
                ],
                [{ TIDINGS_URL: url, TIDINGS_API_KEY: " " }, "1-0", 2, "No API key: set TIDINGS_API_KEY or --key"],
                [
                  { TIDINGS_URL: address, TIDINGS_API_KEY: key },
                  "1-0",
                  3,
                  `${address} is not the URL of a server; set TIDINGS_URL or --url to one such as http://localhost:3000`
                ],
                [
                  { PORT: "abc", TIDINGS_API_KEY: key },
                  "1-0",
                  3,
                  "PORT must be a port number; or set TIDINGS_URL or --url"
                ],
                [
                  { TIDINGS_URL: url, TIDINGS_API_KEY: key },
                  "",
                  5,
                  "The id is empty: say a message's id or a requestId"
                ]
              ] as const
            ) {
              assert.deepStrictEqual(await tidings("node", environment, "trace", id), {
                code,
                stdout: "",
                stderr: `${sentence}\n`
              })
            }
          })),
      60_000
    )
  })
})

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
      60_000
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
    60_000
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
      60_000
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
    60_000
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
    60_000
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
    60_000
  )
})
