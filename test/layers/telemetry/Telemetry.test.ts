import * as ExitCode from "#layers/ExitCode.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import { MessageId, traceId } from "#schemas/MessageId.ts"
import * as Collector from "#test/support/Collector.ts"
import { type Running, ready, serve } from "#test/support/MainProcess.ts"
import { WorkerNumber } from "#layers/settings/Settings.ts"
import { layer, MetricsAreSent } from "#layers/telemetry/Telemetry.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, References } from "effect"
import { createServer } from "node:http"

const secret = "canarycanarycanarycanarycanarycanary"
const canaries = [secret, "canary-address", "canary-payload", "canary-title", "canary-path", "canary-answer"]

const directory = Directories.withDatabase

/**
 * A webhook receiver that refuses, quoting what an answer should not be quoted for, and a collector that takes traces
 * alone.
 */
const receiver = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer(({ url }, response) =>
      response.writeHead(url === "/v1/traces" ? 200 : 400).end("canary-answer")
    )
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
)

/** The server on an embedded store, with these variables more. */
const started = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const port = yield* Effect.promise(() => Ports.free())
    const server = yield* Effect.acquireRelease(
      Effect.map(directory, (path) =>
        serve("node", port, {
          TIDINGS_DATA_DIR: path,
          TIDINGS_DURABILITY: "process",
          TIDINGS_BOOTSTRAP_SECRET: secret,
          TIDINGS_OUTBOUND_ALLOW: "127.0.0.0/8",
          ...environment
        })),
      (server) => Effect.promise(server.kill)
    )
    yield* Effect.promise(() => ready(server, port))
    return { server, url: `http://127.0.0.1:${port}` }
  })

const headers = { authorization: `Bearer pk_prod_${secret}`, "content-type": "application/json" }

const send = async (url: string, message: unknown): Promise<MessageId> => {
  const response = await fetch(`${url}/send`, { method: "POST", headers, body: JSON.stringify({ message }) })
  assert.strictEqual(response.status, 202)
  return MessageId.make((await response.json()).requestId)
}

const toInbox = {
  to: { user_id: "u" },
  content: { title: "t", body: "b" },
  routing: { method: "single", channels: ["inbox"] }
}

const stopped = async (server: Running): Promise<void> => {
  server.signal("SIGTERM")
  assert.deepStrictEqual(await server.ended, { code: 0, signal: null })
}

const isJsonObject = (line: string): boolean => {
  const value: unknown = JSON.parse(line)
  return typeof value === "object" && value !== null && "level" in value && "message" in value && "timestamp" in value
}

describe("Telemetry", () => {
  it.live("spans are made and metrics count as sent where the operator asked for them, and nowhere else", () =>
    Effect.gen(function*() {
      const { url } = yield* Collector.start
      const seen = (environment: Readonly<Record<string, string>>) =>
        Effect.gen(function*() {
          return { spans: yield* References.TracerEnabled, metrics: yield* MetricsAreSent }
        }).pipe(
          Effect.provide(Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))))
        )
      const [own, all] = [{ spans: false, metrics: false }, "OTEL_EXPORTER_OTLP_ENDPOINT"]
      assert.deepStrictEqual(yield* seen({}), own)
      assert.deepStrictEqual(yield* seen({ [all]: url }), { spans: true, metrics: true })
      assert.deepStrictEqual(yield* seen({ [all]: url, OTEL_SDK_DISABLED: "true" }), own)
      assert.deepStrictEqual(yield* seen({ [all]: url, OTEL_TRACES_EXPORTER: "none" }), { ...own, metrics: true })
      assert.deepStrictEqual(yield* seen({ [all]: url, OTEL_METRICS_EXPORTER: "none" }), { ...own, spans: true })
    }))

  it.live("what an engine worker counts is not taken for its server's: its resource says which one it is", () =>
    Effect.gen(function*() {
      const collector = yield* Collector.start
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_RESOURCE_ATTRIBUTES: "deployment=canary"
      }
      const telemetry = Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))
      for (const worker of [undefined, 2]) {
        yield* Effect.void.pipe(Effect.provide(telemetry), Effect.provideService(WorkerNumber, worker))
      }
      const told = collector.bodies("/v1/metrics")
      const says = (what: string) => told.map((body) => body.includes(what))
      const instances = told.map((body) => /"service\.instance\.id","value":\{"stringValue":"([^"]+)"/.exec(body)?.[1])
      assert.strictEqual(new Set(instances).size, 2, String(instances))
      assert.notInclude(instances, undefined)
      assert.deepStrictEqual(says(`{"key":"tidings.worker","value":{"intValue":2}}`), [false, true])
      for (const what of ["canary", "service.name"]) assert.deepStrictEqual(says(what), [true, true])
    }))

  it.live(
    "a request is one trace with its id, and P9: no key, address or payload is in spans, metrics or logs",
    () =>
      Effect.gen(function*() {
        const collector = yield* Collector.start
        const { port } = Object(yield* Effect.map(receiver, (server) => server.address()))
        const { server, url } = yield* started({
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_BSP_SCHEDULE_DELAY: "200",
          OTEL_BLRP_SCHEDULE_DELAY: "200",
          OTEL_METRIC_EXPORT_INTERVAL: "200"
        })
        yield* Effect.promise(async () => {
          const content = { title: "canary-title", body: "canary-payload {{secret}}" }
          const webhook = await send(url, {
            to: { webhook: { url: `http://127.0.0.1:${port}/canary-path`, headers: { "x-token": "canary-address" } } },
            content,
            data: { secret: "canary-payload" }
          })
          const inbox = await send(url, {
            to: { user_id: "canary-address", email: "canary-address@example.com" },
            content,
            routing: { method: "single", channels: ["inbox"] }
          })
          const traceparent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
          await fetch(`${url}/profiles/canary-address@example.com?email=canary-address`, {
            headers: { ...headers, traceparent }
          })
          await fetch(`${url}/messages?recipient=canary-address`, {
            headers: { authorization: `Bearer pk_test_wrong${secret}` }
          })
          const settled = () => collector.spans().filter(({ name }) => name === "settle").length === 2
          const counted = (name: string) => collector.bodies("/v1/metrics").some((body) => body.includes(name))
          await collector.until(() => settled() && counted("tidings_attempts_total"))
          await stopped(server)
          assert.isTrue(counted("tidings_database_up"), "measured though nobody reads /metrics")

          for (
            const [id, expected] of [
              [webhook, ["accept", "deliver", "map", "route", "render", "attempt", "settle"]],
              [inbox, ["accept", "deliver", "map", "profile", "route", "render", "settle"]]
            ] as const
          ) {
            const trace = collector.spans().filter((span) => span.traceId === traceId(id))
            const names = trace.map(({ name }) => name)
            for (const name of expected) assert.include(names, name)
            const byId = new Map(trace.map((span) => [span.spanId, span]))
            assert.strictEqual(byId.size, trace.length)
            assert.deepStrictEqual(trace.filter((span) => span.parentSpanId === undefined).map(({ name }) => name), [
              "accept"
            ])
            for (const span of trace) {
              if (span.name === "accept") continue
              const parent = byId.get(span.parentSpanId ?? "")
              assert.isDefined(parent, `${span.name} has no parent`)
              if (span.name === "deliver") assert.strictEqual(parent?.name, "accept")
              else if (expected.some((name) => name === span.name))
                assert.strictEqual(parent?.name, "deliver", span.name)
            }
          }
          assert.sameMembers(
            [
              ...new Set(collector.spans().map((span) => span.traceId))
            ],
            [traceId(webhook), traceId(inbox)],
            "only requests have traces"
          )
          assert.deepStrictEqual([...new Set(collector.resources("service.name"))], ["tidings"])
          assert.isNotEmpty(collector.bodies("/v1/logs"))

          const told = [
            ...["/v1/traces", "/v1/logs", "/v1/metrics"].flatMap(collector.bodies),
            server.stdout(),
            server.stderr()
          ].join("\n")
          for (const canary of canaries)
            assert.isFalse(told.includes(canary), canary)
          const lines = server.stdout().trim().split("\n")
          assert.isTrue(lines.length > 0 && lines.every(isJsonObject), server.stdout())
        })
      }),
    180_000
  )

  it.live(
    "tells once of each signal that a collector does not take, whatever it takes of others, and P9: not what it answered",
    () =>
      Effect.gen(function*() {
        const { port } = Object(yield* Effect.map(receiver, (server) => server.address()))
        const { server, url } = yield* started({
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
          OTEL_BSP_SCHEDULE_DELAY: "100",
          OTEL_BLRP_SCHEDULE_DELAY: "100",
          OTEL_METRIC_EXPORT_INTERVAL: "100"
        })
        yield* Effect.promise(async () => {
          await send(url, toInbox)
          await stopped(server)
        })
        const told = server.stdout().split("\n").filter((line) => line.includes("telemetry "))
        assert.sameDeepMembers(
          told.map((line) => JSON.parse(line).message),
          ["metrics", "logs"].map((signal) => [
            "telemetry cannot be sent",
            { signal, reason: "the collector answered 400" }
          ])
        )
        assert.notInclude(server.stdout(), "canary-answer")
      }),
    180_000
  )

  it.live(
    "sends nothing where OTEL_SDK_DISABLED is set, and refuses variables that cannot be read, each by its name",
    () =>
      Effect.gen(function*() {
        const collector = yield* Collector.start
        const { server, url } = yield* started({
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_SDK_DISABLED: "true"
        })
        yield* Effect.promise(async () => {
          await send(url, toInbox)
          await stopped(server)
        })
        assert.deepStrictEqual(["/v1/traces", "/v1/logs", "/v1/metrics"].flatMap(collector.bodies), [])
        const refused = serve("node", 0, {
          OTEL_EXPORTER_OTLP_ENDPOINT: "canary-address",
          OTEL_EXPORTER_OTLP_PROTOCOL: "grpc"
        })
        assert.strictEqual((yield* Effect.promise(() => refused.ended)).code, ExitCode.configuration)
        assert.deepStrictEqual(refused.stdout().trim().split("\n").map((line) => JSON.parse(line).message), [
          "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json",
          "OTEL_EXPORTER_OTLP_ENDPOINT must be an http(s) URL, such as http://localhost:4318, without a login: " +
          "that goes into OTEL_EXPORTER_OTLP_HEADERS"
        ])
      }),
    180_000
  )
})
