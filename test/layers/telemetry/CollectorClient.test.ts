import * as CollectorClient from "#layers/telemetry/CollectorClient.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, ConfigProvider, Effect, Fiber, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { FetchHttpClient, HttpClient } from "effect/http"

/** A collector that answers nothing, or the beginning of an answer: how many requests it has open. */
const silent = (begins: boolean) => {
  const open = new Set<AbortSignal>()
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((resolve, reject) => {
      const signal = init?.signal
      if (!signal) return reject(new Error("cannot be ended"))
      open.add(signal)
      const body = new ReadableStream({
        start: (answer) =>
          signal.addEventListener("abort", () => {
            open.delete(signal)
            answer.error(signal.reason)
            reject(signal.reason)
          })
      })
      if (begins) resolve(new Response(body))
    })
  return { fetch, open }
}

const seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))

/** What the program does with this collector and these variables, and what is logged. */
const against = Effect.fnUntraced(function*<A, E>(
  fetch: typeof globalThis.fetch,
  program: Effect.Effect<A, E, HttpClient.HttpClient>,
  environment: Readonly<Record<string, string>> = {}
) {
  const told: Array<unknown> = []
  const log = Logger.layer([Logger.make(({ message }) => void told.push(message))])
  const variables = ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))
  yield* program.pipe(
    Effect.provide(CollectorClient.layer("TRACES").pipe(Layer.provideMerge([log, variables]))),
    Effect.provideService(FetchHttpClient.Fetch, fetch)
  )
  return told
})

const url = "https://collector/canary-path/v1/traces"
const post = Effect.result(HttpClient.post(url))
/** A number of exports at the same time. */
const posts = (count: number) =>
  Effect.forkChild(Effect.all(Array.replicate(post, count), { concurrency: "unbounded" }))

describe("The collector", () => {
  it.effect.prop(
    "has OTEL_EXPORTER_OTLP_TIMEOUT, 10 s if unset or 0, for its whole answer; then the export ends and the log says so, once",
    {
      limit: Schema.UndefinedOr(seconds),
      begins: Schema.Boolean,
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 }))
    },
    ({ begins, count, limit }) =>
      Effect.gen(function*() {
        const { fetch, open } = silent(begins)
        const told = yield* against(
          fetch,
          Effect.gen(function*() {
            const exports = yield* posts(count)
            yield* TestClock.adjust((limit || 10) * 1_000 - 1)
            assert.strictEqual(open.size, count)
            yield* TestClock.adjust(1)
            assert.strictEqual(open.size, 0)
            assert.isTrue((yield* Fiber.join(exports)).every((exported) => exported._tag === "Failure"))
          }),
          limit === undefined ? {} : { OTEL_EXPORTER_OTLP_TIMEOUT: String(limit * 1_000) }
        )
        const reason = `no answer within ${limit || 10} s`
        assert.deepStrictEqual(told, [["telemetry cannot be sent", { signal: "traces", reason }]])
      })
  )

  it.effect("has the time of a signal's own variable for that signal", () =>
    Effect.gen(function*() {
      const { fetch, open } = silent(false)
      const variables = { OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "500", OTEL_EXPORTER_OTLP_TIMEOUT: "20000" }
      yield* against(
        fetch,
        Effect.gen(function*() {
          yield* posts(1)
          yield* TestClock.adjust(500)
          assert.strictEqual(open.size, 0)
        }),
        variables
      )
    }))

  it.effect("is sent no more than 8 batches of a signal at a time: what it is too slow for is dropped, which is told once", () =>
    Effect.gen(function*() {
      const { fetch, open } = silent(false)
      const told = yield* against(
        fetch,
        Effect.gen(function*() {
          yield* posts(100)
          yield* TestClock.adjust(1)
          assert.strictEqual(open.size, 8)
        })
      )
      assert.deepStrictEqual(told, [["telemetry is dropped: the collector is too slow", { signal: "traces" }]])
    }))

  it.effect.each<readonly [string, Error, string]>([
    [
      "the system's",
      new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED ::1:4318") }),
      "connect ECONNREFUSED ::1:4318"
    ],
    [
      "a code alone",
      new TypeError("fetch failed", { cause: Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }) }),
      "ECONNREFUSED"
    ],
    [
      "Deno's, with the URL",
      new TypeError("fetch failed", { cause: new Error(`for url (${url}): refused`) }),
      "for url (…): refused"
    ],
    ["fetch's own, which quotes settings", new TypeError("\"canary\" is an invalid header value"), "TransportError"]
  ])(
    "that cannot be reached is told with the cause's message, but P9: %s",
    ([, error, reason]) =>
      Effect.gen(function*() {
        const told = yield* against(() => Promise.reject(error), post)
        assert.deepStrictEqual(told, [["telemetry cannot be sent", { signal: "traces", reason }]])
      })
  )
})
