import * as Spelling from "#layers/telemetry/Spelling.ts"
import { Config, ConfigProvider, Effect, Option, Result, Schema } from "effect"

const signals = ["TRACES", "METRICS", "LOGS"] as const
/** What is sent apart from the others, as the variables name it. */
export type Signal = typeof signals[number]

/** The encoding of all signals. */
const general = "OTEL_EXPORTER_OTLP_PROTOCOL"

/** Node sends nothing to a URL with a login in it. */
const isWeb = Schema.makeFilter<string>((text) => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const { password, username } = new URL(text)
  return username === "" && password === ""
})

const url = [
  (name: string) => Config.schema(Schema.String.check(isWeb), name),
  "must be an http(s) URL, such as http://localhost:4318, without a login: that goes into OTEL_EXPORTER_OTLP_HEADERS"
] as const

const atLeast = (minimum: number) => (name: string) =>
  Config.schema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(minimum)), name)

const wait = [atLeast(0), "must be a number of milliseconds, 0 at least"] as const
const period = [atLeast(1), "must be a number of milliseconds, 1 at least"] as const
const count = [atLeast(1), "must be a number, 1 at least"] as const
const compression = [(name: string) => Config.Literals(["gzip", "none"], name), "must be gzip or none"] as const
const protocol = [
  (name: string) => Config.Literals(["http/protobuf", "http/json"], name),
  "must be http/protobuf or http/json"
] as const

const sampler = "OTEL_TRACES_SAMPLER"
const samplerArgument = "OTEL_TRACES_SAMPLER_ARG"

const samplers = ["always_on", "always_off", "traceidratio"] as const

/** Callers' own traces are not gone on with, so no parent decides: `parentbased_` makes no difference. */
const kind = (name: string) =>
  Config.Literals([...samplers, ...samplers.map((one) => `parentbased_${one}` as const)], name)

const ratio = (name: string) => Config.schema(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })), name)

const encoded = Schema.StringFromUriComponent

/** Read as the exporters do, which die of a bad one. */
const attributePairs = [
  (name: string) => Config.Record(encoded, encoded, name, { trim: true, keepEmptyValues: true }),
  "must be key=value pairs, percent-encoded"
] as const

/** Names and values that HTTP can send. */
const headers = [
  (name: string) =>
    Config.all({
      names: Config.schema(Schema.String.check(Schema.isPattern(/^(?:[\w!#$%&'*+.^`|~-]+=[^,]*(?:,|$)|,)*$/)), name),
      values: Config.Record(Schema.String, encoded.check(Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/)), name)
    }),
  "must be key=value pairs, percent-encoded"
] as const

/** The standard variables that may be set wrongly: how each is read, and what to say if it cannot be. */
const variables: Readonly<Record<string, readonly [(name: string) => Config.Config<unknown>, string]>> = {
  OTEL_SDK_DISABLED: [Config.Boolean, "must be true or false"],
  OTEL_RESOURCE_ATTRIBUTES: attributePairs,
  [general]: protocol,
  ...Object.fromEntries(["", ...signals.map((signal) => `_${signal}`)].flatMap((signal) => [
    [`OTEL_EXPORTER_OTLP${signal}_ENDPOINT`, url],
    [`OTEL_EXPORTER_OTLP${signal}_HEADERS`, headers],
    [`OTEL_EXPORTER_OTLP${signal}_COMPRESSION`, compression],
    [`OTEL_EXPORTER_OTLP${signal}_TIMEOUT`, wait]
  ])),
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: [
    (name) => Config.Literals(["delta", "cumulative"], name),
    "must be delta or cumulative"
  ],
  [sampler]: [kind, "must be always_on, always_off or traceidratio, also with parentbased_ before it"],
  [samplerArgument]: [ratio, "must be a number from 0 to 1"],
  OTEL_BSP_SCHEDULE_DELAY: period,
  OTEL_BSP_EXPORT_TIMEOUT: wait,
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count,
  OTEL_BLRP_SCHEDULE_DELAY: period,
  OTEL_BLRP_EXPORT_TIMEOUT: wait,
  OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: count,
  OTEL_METRIC_EXPORT_INTERVAL: period,
  OTEL_METRIC_EXPORT_TIMEOUT: wait
}

const exporterOf = (signal: Signal) => `OTEL_${signal}_EXPORTER`
const protocolOf = (signal: Signal) => `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`

/** Heeded besides. `ofSignals` checks the encodings of single signals; of the others, any value is a good one. */
const others = [
  "OTEL_SERVICE_NAME",
  "OTEL_SERVICE_VERSION",
  ...signals.flatMap((one) => [exporterOf(one), protocolOf(one)])
]

/**
 * Which of these names are the standard's, or look like it, and change nothing here. `OTEL_DENO…` is for Deno itself.
 */
export const unheeded = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const heeds = (name: string) =>
    Object.hasOwn(variables, name) || others.includes(name) || /^OTEL_DENO(?:_|$)/.test(name)
  const isIdle = (name: string) => name === samplerArgument && !names.includes(sampler)
  return names.filter((name) => name.startsWith("OTEL_") && (!heeds(name) || isIdle(name)))
}

/** The standard's defaults: a signal with an endpoint is exported. */
const assumed = ConfigProvider.fromEnvRecord({
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp"
})

/** The settings as the exporters have to read them. */
export const settings: Effect.Effect<ConfigProvider.ConfigProvider> = Effect.map(
  ConfigProvider.ConfigProvider,
  (given) => Spelling.standard(ConfigProvider.orElse(given, assumed))
)

/** All signals are sent in one encoding: the variables of single signals can only repeat it. */
const ofSignals = Effect.fnUntraced(function*(provider: ConfigProvider.ConfigProvider) {
  const read = (name: string) => Effect.orDie(Config.option(Config.String(name)).parse(provider))
  const said = Option.getOrElse(yield* read(general), () => "http/protobuf")
  const own = yield* Effect.forEach(signals, (signal) => {
    const name = protocolOf(signal)
    return Effect.map(
      read(name),
      Option.match({
        onNone: () => [],
        onSome: (value) => value === said ? [] : [`${name} must be the same as ${general}, or not set`]
      })
    )
  })
  return own.flat()
})

/**
 * One line per standard variable whose value cannot be read, or is not heeded. It names the variable without its value,
 * which may be a secret (P9).
 */
export const faults: Effect.Effect<ReadonlyArray<string>> = Effect.gen(function*() {
  const provider = yield* settings
  const lines = yield* Effect.forEach(
    Object.entries(variables),
    ([name, [config, sentence]]) =>
      Effect.map(
        Effect.result(Config.option(config(name)).parse(provider)),
        (read) => Result.isFailure(read) ? [`${name} ${sentence}`] : []
      )
  )
  return [...lines.flat(), ...(yield* ofSignals(provider))]
})

/**
 * Which signals the operator asked for, in which encoding they are sent, how many of the traces are, and whether the
 * operator named the service and its instance.
 */
export interface Asked {
  readonly traces: boolean
  readonly metrics: boolean
  readonly logs: boolean
  readonly protocol: "http/protobuf" | "http/json"
  /** Which share of the traces is recorded, from 0 to 1. */
  readonly share: number
  readonly isNamed: boolean
  readonly isInstanceNamed: boolean
}

const isSet = (name: string) => Config.map(Config.option(Config.String(name)), Option.isSome)

const isAsked = (signal: Signal) =>
  Config.map(
    Config.all({
      disabled: Config.Boolean("OTEL_SDK_DISABLED").pipe(Config.withDefault(false)),
      exporter: Config.String(exporterOf(signal)),
      all: isSet("OTEL_EXPORTER_OTLP_ENDPOINT"),
      own: isSet(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)
    }),
    ({ all, disabled, exporter, own }) =>
      !disabled && (all || own) && exporter.split(",").some((name) => name.trim().toLowerCase() === "otlp")
  )

const attributes = Config.String("OTEL_RESOURCE_ATTRIBUTES").pipe(Config.withDefault(""))

const read: Config.Config<Asked> = Config.all({
  traces: isAsked("TRACES"),
  metrics: isAsked("METRICS"),
  logs: isAsked("LOGS"),
  protocol: Config.Literals(["http/protobuf", "http/json"], general).pipe(
    Config.withDefault("http/protobuf" as const)
  ),
  share: Config.map(
    Config.all({
      kind: kind(sampler).pipe(Config.withDefault("always_on")),
      ratio: ratio(samplerArgument).pipe(Config.withDefault(1))
    }),
    ({ kind, ratio }) => kind.endsWith("traceidratio") ? ratio : kind.endsWith("always_off") ? 0 : 1
  ),
  isNamed: Config.map(
    Config.all({ name: isSet("OTEL_SERVICE_NAME"), attributes }),
    ({ attributes, name }) => name || /(?:^|,)\s*service\.name\s*=/.test(attributes)
  ),
  isInstanceNamed: Config.map(attributes, (attributes) => /(?:^|,)\s*service\.instance\.id\s*=/.test(attributes))
})

/** What the operator asked for. Read it only if there are no `faults`. */
export const asked: Effect.Effect<Asked> = Effect.flatMap(settings, (provider) => Effect.orDie(read.parse(provider)))

/**
 * How many milliseconds the collector has for an answer. The same variables tell how long a stop waits; 0 is for the
 * stop alone, since a request takes some time.
 */
export const limitOf = (signal: Signal): Config.Config<number> =>
  Config.Int(`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`).pipe(
    Config.orElse(() => Config.Int("OTEL_EXPORTER_OTLP_TIMEOUT")),
    Config.withDefault(0),
    Config.map((milliseconds) => milliseconds || 10_000)
  )
