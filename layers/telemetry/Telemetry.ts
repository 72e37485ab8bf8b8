import * as Discreet from "#layers/telemetry/Discreet.ts"
import * as Otel from "#layers/telemetry/Otel.ts"
import { WorkerNumber } from "#layers/settings/Settings.ts"
import { ConfigProvider, Context, Effect, Layer, Logger, References, Tracer } from "effect"
import { FetchHttpClient, HttpMiddleware } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"

/** Whether metrics are pushed to a collector, which then does not scrape them. */
export const MetricsAreSent = Context.Reference<boolean>("tidings/Telemetry/MetricsAreSent", {
  defaultValue: () => false
})

/** One JSON object per line on standard output. */
const lines = Logger.layer([Logger.consoleJson])

const untraced = Layer.succeed(References.TracerEnabled, false)

/**
 * `worker`: which engine worker this is; what it counts must not be taken for what its server counts under the same
 * names.
 */
const exporters = ({ isNamed, metrics, protocol, traces }: Otel.Asked, worker: number | undefined) =>
  Layer.mergeAll(
    traces
      ? Layer.effect(Tracer.Tracer, Effect.map(Tracer.Tracer, Discreet.tracer))
      : untraced,
    // A request's path, query and headers hold addresses (P9). The work that a request causes has the spans of
    // `src/reports/Trace`.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
    Layer.succeed(MetricsAreSent, metrics)
  ).pipe(
    Layer.provideMerge(
      Otlp.layerFromConfig({
        resource: {
          ...(isNamed ? {} : { serviceName: "tidings" }),
          ...(worker === undefined ? {} : { attributes: { "tidings.worker": worker } })
        },
        loggerMergeWithExisting: true
      })
    ),
    Layer.provide([
      FetchHttpClient.layer,
      protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
      ConfigProvider.layerAdd(Otel.assumed)
    ]),
    Layer.provideMerge(lines)
  )

/** Makes every logger discreet. */
const discreetLoggers = Layer.effect(
  Logger.CurrentLoggers,
  Effect.map(Logger.CurrentLoggers, (loggers) => new Set([...loggers].map(Discreet.logger)))
)

/**
 * JSON logs always; traces, metrics and logs to a collector where the standard `OTEL_*` variables name one (design.md
 * §6). Without one, no spans are made. Wrong variables are in `Otel.faults`, for which `Settings` refuses the start.
 */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const faults = yield* Otel.faults
  const asked = faults.length > 0 ? undefined : yield* Effect.orDie(Otel.asked)
  const isAsked = asked !== undefined && (asked.traces || asked.metrics || asked.logs)
  return discreetLoggers.pipe(
    Layer.provideMerge(isAsked ? exporters(asked, yield* WorkerNumber) : Layer.merge(lines, untraced))
  )
}))
