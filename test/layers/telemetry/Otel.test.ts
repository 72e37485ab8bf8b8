import * as Otel from "#layers/telemetry/Otel.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"

type Environment = Readonly<Record<string, string>>

const read = (environment: Environment) => Otel.asked.parse(ConfigProvider.fromEnvRecord(environment))
const signals = Effect.fnUntraced(function*(environment: Environment) {
  const { logs, metrics, traces } = yield* read(environment)
  return [...(traces ? ["traces"] : []), ...(metrics ? ["metrics"] : []), ...(logs ? ["logs"] : [])]
})

const all = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }

describe("The standard's variables", () => {
  it.effect.each<readonly [Environment, ReadonlyArray<string>]>([
    [{}, []],
    [all, ["traces", "metrics", "logs"]],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, []],
    [{ ...all, OTEL_SDK_DISABLED: "true" }, []],
    [{ ...all, OTEL_SDK_DISABLED: "false" }, ["traces", "metrics", "logs"]],
    [{ ...all, OTEL_METRICS_EXPORTER: "none" }, ["traces", "logs"]],
    [{ ...all, OTEL_METRICS_EXPORTER: "prometheus", OTEL_TRACES_EXPORTER: "console, OTLP" }, ["traces", "logs"]],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces:4318/v1/traces" }, ["traces"]],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://metrics:4318/v1/metrics" }, ["metrics"]],
    [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://logs:4318/v1/logs", OTEL_LOGS_EXPORTER: "none" }, []]
  ])(
    "of %j are sent %j",
    ([environment, expected]) => Effect.map(signals(environment), (sent) => assert.deepStrictEqual(sent, [...expected]))
  )

  it.effect.each<readonly [Environment, boolean]>([
    [{}, false],
    [{ OTEL_SERVICE_NAME: "mail" }, true],
    [{ OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=prod,service.name=mail" }, true],
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.namespace=mail,my.service.name=x" }, false]
  ])(
    "of %j the operator named the service: %j",
    ([environment, isNamed]) => Effect.map(read(environment), (asked) => assert.strictEqual(asked.isNamed, isNamed))
  )

  it.effect.each<readonly [Environment, ReadonlyArray<string>]>([
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf" }, []],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json" }, []],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" }, ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"]],
    [{ OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json" }, ["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"]]
  ])(
    "of %j a signal's own encoding is refused: %j",
    ([environment, expected]) =>
      Otel.faults.pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(environment)),
        Effect.map((told) => assert.deepStrictEqual(told.map((line) => line.split(" ")[0]), [...expected]))
      )
  )

  it.effect("what cannot be read is named, without its value (P9)", () =>
    Effect.gen(function*() {
      const faulty = {
        OTEL_EXPORTER_OTLP_ENDPOINT: "canary",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary%ZZ",
        OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "canary",
        OTEL_METRIC_EXPORT_INTERVAL: "10s"
      }
      const told = yield* Otel.faults.pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(faulty))
      )
      assert.deepStrictEqual(told.map((line) => line.split(" ")[0]).toSorted(), Object.keys(faulty).toSorted())
      assert.notInclude(told.join(), "canary")
    }))
})
