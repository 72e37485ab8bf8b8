import { MessageDetails } from "#schemas/api/MessageDetails.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { undelivered } from "#test/layers/cli/Undelivered.ts"
import * as IdempotencyHeaders from "#src/access/IdempotencyHeaders.ts"
import { asking, post, server, tidings, Url } from "#test/layers/cli/Command.ts"
import { stub } from "#test/layers/cli/Stub.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"

const encode = Schema.encodeSync(MessageDetails)

const requestId = "1-0000000a-000000000000000000000000"

describe("tidings replay", () => {
  layer(server, { timeout: 180_000 })((it) => {
    it.effect(
      "sends a message again once, however often it is asked to",
      () =>
        Effect.flatMap(Url, (url) =>
          Effect.promise(async () => {
            const id = await post(url, { user_id: "ada" })
            const first = await tidings("node", asking(url), "replay", id)
            assert.match(first.stdout, new RegExp(`^${id} is sent again as 1-`))
            assert.deepStrictEqual(await tidings("node", asking(url), "replay", id), {
              ...first,
              stdout: first.stdout.replace("is sent again as", "was sent again before, as")
            })
          })),
      120_000
    )
  })

  it.effect(
    "lists the requests to many that were set aside beside the messages, and lets them go on",
    () =>
      Effect.gen(function*() {
        const request = { requestId, messages: 7, enqueued: 5, archived: false }
        const paging = { more: false }
        const answers: Readonly<Record<string, unknown>> = {
          "GET /messages": { paging, results: [] },
          "GET /requests": { paging, results: [{ ...request, state: "FAILED", error: "Quarantined" }] },
          [`GET /requests/${requestId}`]: { ...request, state: "FAILED", error: "Quarantined" },
          [`POST /requests/${requestId}/resume`]: { ...request, state: "RUNNING" }
        }
        const { command } = yield* stub(({ method, path }) => {
          const body = answers[`${method} ${path.split("?")[0]}`]
          return body === undefined ? { status: 404, body: {} } : { body }
        })
        const listed = yield* command("replay", "--list")
        const resumed = yield* command("replay")
        const json = yield* command("replay", requestId, "--json")
        assert.strictEqual(listed.stdout, `${requestId} is a request to many, FAILED\n`, listed.stderr)
        assert.strictEqual(resumed.stdout, `${requestId} is a request to many, RUNNING\n`)
        assert.deepStrictEqual(JSON.parse(json.stdout), [{ id: requestId, request: "RUNNING" }])
      }),
    120_000
  )

  it.effect(
    "goes on to the last one, page by page, and tells what it has done when the server fails in between",
    () =>
      Effect.gen(function*() {
        const failed = Array.from({ length: 250 }, (_, number) =>
          encode(
            undelivered(MessageId.make(`1-6553f100-${String(number).padStart(24, "0")}`), {
              enqueued: 0,
              reason: "FAILED",
              error: "Quarantined after 5 tries"
            })
          ))
        const { command, seen } = yield* stub(({ method, path }) => {
          if (method === "POST") {
            const isDown = Number(/-0*(\d*)\/resend/.exec(path)?.[1]) >= 120
            return isDown ? { status: 503, body: {} } : { body: { messageId: "again" } }
          }
          const from = Number(new URL(path, "http://localhost").searchParams.get("cursor") ?? 0)
          const isLast = from + 100 >= failed.length
          return path.startsWith("/messages?")
            ? {
              body: {
                paging: { more: !isLast, ...(isLast ? {} : { cursor: String(from + 100) }) },
                results: failed.slice(from, from + 100)
              }
            }
            : { body: { paging: { more: false }, results: [] } }
        })
        assert.strictEqual((yield* command("replay", "--list")).stdout.trim().split("\n").length, 250)
        const { code, stderr, stdout } = yield* command("replay")
        assert.strictEqual(code, 1, stderr)
        assert.strictEqual(stdout.trim().split("\n").length, 120)
        const json = yield* command("replay", "--json")
        assert.strictEqual(JSON.parse(json.stdout).length, 120)
        assert.isBelow(seen.filter(({ path }) => path.startsWith("/messages?")).length, 10)
      }),
    120_000
  )

  for (const state of ["COMPLETED", "RUNNING"]) {
    it.effect(
      `says that a request to many which is ${state} has nothing to replay, and asks the server for nothing`,
      () =>
        Effect.gen(function*() {
          const { command, seen } = yield* stub(({ path }) => ({
            status: path.startsWith("/requests") ? 200 : 404,
            body: { requestId, state, messages: 7, enqueued: 5, archived: false }
          }))
          assert.deepStrictEqual(yield* command("replay", requestId), {
            code: 0,
            stdout: `${requestId} is a request to many, ${state}: it is not set aside, so there is nothing to replay\n`,
            stderr: ""
          })
          const asked = seen.map(({ method, path }) => `${method} ${path}`)
          assert.notInclude(asked, `POST /requests/${requestId}/resume`)
        }),
      120_000
    )
  }

  it.effect(
    "tells in the server's own words why it cannot answer, and why it is not ready",
    () =>
      Effect.gen(function*() {
        let isReady = false
        const { command, origin } = yield* stub(({ path }) => {
          const message = path === "/health/ready" ? "the database's disk is full" : "The service is not available"
          return { status: isReady && path === "/health/ready" ? 200 : 503, body: { message, type: "api_error" } }
        })
        const said = `${origin} answered 503: The service is not available`
        assert.deepStrictEqual(yield* command("cluster"), {
          code: 1,
          stdout: "",
          stderr: `${said}: the database's disk is full; try again later\n`
        })
        isReady = true
        assert.strictEqual((yield* command("trace", "1-0")).stderr, `${said}; try again later\n`)
      }),
    120_000
  )

  it.effect(
    "tells why the server refuses one, after the others have gone",
    () =>
      Effect.gen(function*() {
        const { command, origin } = yield* stub(({ path }) =>
          path === "/messages/1-0/resend"
            ? { status: 400, body: { message: "The list is gone", type: "invalid_request_error" } }
            : { body: { messageId: "again" } }
        )
        assert.deepStrictEqual(yield* command("replay", "1-0", "1-1"), {
          code: 6,
          stdout: "1-1 is sent again as again\n",
          stderr: `${origin} refuses 1-0: The list is gone\n`
        })
      }),
    120_000
  )

  it.effect(
    "asks for the key to be kept as long as any is: a day later it must not be sent a second time",
    () =>
      Effect.gen(function*() {
        const { command, seen } = yield* stub(() => ({ body: { messageId: "again" } }))
        yield* command("replay", "1-0")
        const { headers } = seen[0] ?? assert.fail("no request")
        const kept = yield* IdempotencyHeaders.parse(
          String(headers["idempotency-key"]),
          String(headers["x-idempotency-expiration"]),
          0
        )
        assert.strictEqual(kept.expiresAt, 365 * 86_400_000)
      }),
    120_000
  )
})
