import { NodeHttpClient } from "@effect/platform-node"
import { Config, Effect, Layer, Logger, Option, References } from "effect"
import { Otlp, OtlpSerialization } from "effect/observability"

const logs = Logger.layer([Logger.consoleJson])

/** Structured JSON logs always; traces, metrics and logs to a collector where the standard `OTEL_*` variables name one (design.md §6). */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const endpoint = yield* Config.option(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT"))
  if (Option.isNone(endpoint)) return Layer.merge(logs, Layer.succeed(References.TracerEnabled, false))
  return Otlp.layerFromConfig({ resource: { serviceName: "tidings" }, loggerMergeWithExisting: true }).pipe(
    Layer.provide([OtlpSerialization.layerJson, NodeHttpClient.layerUndici]),
    Layer.provideMerge(logs)
  )
}))
