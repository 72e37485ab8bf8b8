import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"

const template = (alias: string) => ({
  state: "PUBLISHED",
  notification: {
    name: alias,
    alias,
    tags: [],
    brand: null,
    subscription: null,
    routing: null,
    content: { version: "2022-01-01", elements: [{ type: "text", content: "Hi" }] }
  }
})

const sending = (alias: string) => ({ message: { to: { email: "ada@example.com" }, template: alias } })

describe("A server whose engine runs in a worker", () => {
  it.live(
    "a template that was just published is what the next message shows: its worker hears of each change",
    () =>
      Effect.gen(function*() {
        const place = yield* Places.make("Postgres")
        const server = CrashProcess.start(place, { TIDINGS_WORKERS: "1" })
        yield* Effect.addFinalizer(() => Effect.promise(() => server.kill()))
        yield* Effect.promise(async () => {
          await server.ready()
          const caller = Caller.make(place.port)
          const ask = async (method: string, path: string, body?: unknown) => {
            const answer = await caller.call(method, path, { body })
            assert.include([200, 201, 202], answer?.status, answer?.body)
            return JSON.parse(answer?.body ?? "{}")
          }
          /** How a message with this template ended. */
          const ending = async (alias: string) => {
            const { requestId } = await ask("POST", "/send", sending(alias))
            for (const began = performance.now(); performance.now() - began < 20_000; await sleep(5)) {
              const { status } = await ask("GET", `/messages/${requestId}`)
              if (status !== "ENQUEUED" && status !== "ROUTED") return status
            }
            return "no end"
          }
          for (const alias of ["one", "two", "three", "four"]) {
            assert.strictEqual(await ending(alias), "UNMAPPED")
            await ask("POST", "/notifications", template(alias))
            assert.strictEqual(await ending(alias), "SENT")
          }
          caller.close()
        })
      }),
    90_000
  )
})
