import * as CollectorClient from "#layers/telemetry/CollectorClient.ts"
import * as Discreet from "#layers/telemetry/Discreet.ts"
import * as Otel from "#layers/telemetry/Otel.ts"
import * as Sampling from "#layers/telemetry/Sampling.ts"
import { WorkerNumber } from "#layers/settings/Settings.ts"
import { ConfigProvider, Context, Effect, Layer, Logger, References, Tracer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpMiddleware } from "effect/http"
import { OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"

/** Whether metrics are pushed to a collector, which then does not scrape them. */
export const MetricsAreSent = Context.Reference<boolean>("tidings/Telemetry/MetricsAreSent", {
  defaultValue: () => false
})

/** One JSON object per line on standard output. */
const lines = Logger.layer([Logger.consoleJson])

const untraced = Layer.succeed(References.TracerEnabled, false)

/**
 * Who this is, among the others whose telemetry the same collector gets: what one node or engine worker counts must not
 * be taken for what another counts under the same names.
 */
const resourceOf = Effect.fnUntraced(function*({ isInstanceNamed, isNamed }: Otel.Asked) {
  const worker = yield* WorkerNumber
  const { uuidV4 } = yield* SecureRandom.SecureRandom
  return {
    ...(isNamed ? {} : { serviceName: "tidings" }),
    attributes: {
      ...(isInstanceNamed ? {} : { "service.instance.id": yield* uuidV4() }),
      ...(worker === undefined ? {} : { "tidings.worker": worker })
    }
  }
}, Effect.provide(SecureRandom.layerWebCrypto))

const exporters = (asked: Otel.Asked, resource: Effect.Success<ReturnType<typeof resourceOf>>) =>
  Layer.mergeAll(
    asked.traces
      ? Layer.effect(
        Tracer.Tracer,
        Effect.map(Tracer.Tracer, (tracer) => Discreet.tracer(tracer, Sampling.keeps(asked.share)))
      )
      : untraced,
    // A request's path, query and headers hold addresses (P9). The work that a request causes has the spans of
    // `src/reports/Trace`.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
    Layer.succeed(MetricsAreSent, asked.metrics)
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        OtlpLogger.layerFromConfig({ resource, mergeWithExisting: true }).pipe(
          Layer.provide(CollectorClient.layer("LOGS"))
        ),
        OtlpMetrics.layerFromConfig({ resource }).pipe(Layer.provide(CollectorClient.layer("METRICS"))),
        OtlpTracer.layerFromConfig({ resource }).pipe(Layer.provide(CollectorClient.layer("TRACES")))
      )
    ),
    Layer.provide([
      asked.protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
      ConfigProvider.layer(Otel.settings)
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
  const asked = faults.length > 0 ? undefined : yield* Otel.asked
  const isAsked = asked !== undefined && (asked.traces || asked.metrics || asked.logs)
  return discreetLoggers.pipe(
    Layer.provideMerge(isAsked ? exporters(asked, yield* resourceOf(asked)) : Layer.merge(lines, untraced))
  )
}))
