import * as Otel from "#layers/telemetry/Otel.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"

type Environment = Readonly<Record<string, string>>

const read = (environment: Environment) =>
  Effect.provideService(Otel.asked, ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(environment))
const signals = Effect.fnUntraced(function*(environment: Environment) {
  const { logs, metrics, traces } = yield* read(environment)
  return [...(traces ? ["traces"] : []), ...(metrics ? ["metrics"] : []), ...(logs ? ["logs"] : [])]
})

const all = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }

const faultsOf = (environment: Environment) =>
  Effect.provideService(Otel.faults, ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(environment))

interface Values {
  readonly good: ReadonlyArray<string>
  readonly bad: ReadonlyArray<string>
}

const waits: Values = { good: ["0", "200"], bad: ["canary", "10s", "0.5", "-1"] }
/** 0 would be sent, or asked for, without end. */
const counts: Values = { good: ["1", "200"], bad: ["canary", "10s", "1.5", "0", "-60000"] }
const pairs: Values = { good: ["a=b", "a=b%20c,d=e", "a=b, c = d", "a=b,", ","], bad: ["a=canary%ZZ"] }

/** What each of them must be. */
const sentences = [
  "an http(s) URL, such as http://localhost:4318, without a login: that goes into OTEL_EXPORTER_OTLP_HEADERS",
  "a number, 1 at least",
  "a number from 0 to 1",
  "a number of milliseconds, 0 at least",
  "a number of milliseconds, 1 at least",
  "always_on, always_off or traceidratio, also with parentbased_ before it",
  "delta or cumulative",
  "gzip or none",
  "http/protobuf or http/json",
  "key=value pairs, percent-encoded",
  "true or false"
]

/** The variables that are heeded, and values of each. */
const variables: Readonly<Record<string, Values>> = {
  OTEL_SDK_DISABLED: { good: ["true", "false", "TRUE", "False"], bad: ["canary"] },
  OTEL_RESOURCE_ATTRIBUTES: { ...pairs, bad: [...pairs.bad, "canary%ZZ=a"] },
  OTEL_EXPORTER_OTLP_PROTOCOL: { good: ["http/protobuf", "http/json", "HTTP/JSON"], bad: ["grpc", "canary"] },
  ...Object.fromEntries(["", "_TRACES", "_METRICS", "_LOGS"].flatMap((signal) => [
    [`OTEL_EXPORTER_OTLP${signal}_ENDPOINT`, {
      good: ["http://collector:4318/x", "HTTPS://c"],
      bad: ["canary", "canary:4318", "https://canary:canary@collector", "https://canary@collector"]
    }],
    [`OTEL_EXPORTER_OTLP${signal}_HEADERS`, {
      ...pairs,
      bad: [...pairs.bad, "a canary=b", "a=b,canary", "a=canary%0A", "a=canary%E2%82%AC"]
    }],
    [`OTEL_EXPORTER_OTLP${signal}_COMPRESSION`, { good: ["gzip", "none", "GZIP"], bad: ["canary"] }],
    [`OTEL_EXPORTER_OTLP${signal}_TIMEOUT`, waits]
  ])),
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: {
    good: ["delta", "cumulative", "Cumulative"],
    bad: ["lowmemory"]
  },
  ...Object.fromEntries(
    ["BSP", "BLRP"].flatMap((processor) =>
      ["SCHEDULE_DELAY", "EXPORT_TIMEOUT", "MAX_EXPORT_BATCH_SIZE"].map((
        what
      ) => [`OTEL_${processor}_${what}`, what === "EXPORT_TIMEOUT" ? waits : counts])
    )
  ),
  OTEL_METRIC_EXPORT_INTERVAL: counts,
  OTEL_METRIC_EXPORT_TIMEOUT: waits,
  OTEL_TRACES_SAMPLER: {
    good: ["always_on", "Always_On", "parentbased_traceidratio"],
    bad: ["canary", "jaeger_remote", "0.1"]
  },
  OTEL_TRACES_SAMPLER_ARG: { good: ["0", "1", "0.25", "1e-3"], bad: ["canary", "1.1", "-0.1", "10%", "NaN"] }
}

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
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.namespace=mail,my.service.name=x" }, false],
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.names=mail" }, false]
  ])(
    "of %j the operator named the service: %j",
    ([environment, isNamed]) => Effect.map(read(environment), (asked) => assert.strictEqual(asked.isNamed, isNamed))
  )

  it.effect.each<readonly [Environment, number]>([
    [{}, 1],
    [{ OTEL_TRACES_SAMPLER: "parentbased_always_on", OTEL_TRACES_SAMPLER_ARG: "0.5" }, 1],
    [{ OTEL_TRACES_SAMPLER: "always_off" }, 0],
    [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, 0],
    [{ OTEL_TRACES_SAMPLER: "traceidratio" }, 1],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "" }, 1],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" }, 0.25],
    [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, 0]
  ])(
    "of %j this share of the traces is recorded: %j",
    ([environment, share]) => Effect.map(read(environment), (asked) => assert.strictEqual(asked.share, share))
  )

  it("of the others each is told, and none of those that are heeded", () => {
    const signals = ["TRACES", "METRICS", "LOGS"]
    const heeded = [
      ...Object.keys(variables),
      ...signals.flatMap((signal) => [`OTEL_${signal}_EXPORTER`, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`]),
      "OTEL_SERVICE_NAME",
      "OTEL_SERVICE_VERSION"
    ]
    const others = ["OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_PROPAGATORS", "OTEL_toString"]
    assert.deepStrictEqual(Otel.unheeded([...heeded, ...others, "HOTEL_STARS"]), others)
  })

  it("a sampler's argument without the sampler changes nothing, and is told", () => {
    assert.deepStrictEqual(Otel.unheeded(["OTEL_TRACES_SAMPLER_ARG"]), ["OTEL_TRACES_SAMPLER_ARG"])
  })

  it("variables that Deno itself reads are not said to change nothing", () => {
    assert.deepStrictEqual(Otel.unheeded(["OTEL_DENO", "OTEL_DENO_CONSOLE"]), [])
  })

  it.effect.each<readonly [Environment, ReadonlyArray<string>]>([
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf" }, []],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json" }, []],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" }, ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"]],
    [{ OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json" }, ["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"]]
  ])(
    "of %j a signal's own encoding is refused: %j",
    ([environment, expected]) =>
      Effect.map(
        faultsOf(environment),
        (told) => assert.deepStrictEqual(told.map((line) => line.split(" ")[0]), [...expected])
      )
  )

  it.effect.each(Object.entries(variables))(
    "%s: what it may be set to, and what is refused by its name",
    ([name, values]) =>
      Effect.gen(function*() {
        for (const value of values.good) assert.deepStrictEqual(yield* faultsOf({ [name]: value }), [], value)
        for (const value of values.bad) {
          const told = yield* faultsOf({ [name]: value })
          assert.lengthOf(told, 1, value)
          const [said, sentence = ""] = told[0]?.split(" must be ") ?? []
          assert.strictEqual(said, name)
          assert.include(sentences, sentence)
        }
      })
  )

  it.effect("what cannot be read is named, without its value (P9)", () =>
    Effect.gen(function*() {
      const faulty = {
        OTEL_EXPORTER_OTLP_ENDPOINT: "canary",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary%ZZ",
        OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "canary",
        OTEL_METRIC_EXPORT_INTERVAL: "10s"
      }
      const told = yield* faultsOf(faulty)
      assert.deepStrictEqual(told.map((line) => line.split(" ")[0]).toSorted(), Object.keys(faulty).toSorted())
      assert.notInclude(told.join(), "canary")
    }))
})
