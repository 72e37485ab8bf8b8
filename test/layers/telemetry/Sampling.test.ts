import { WorkerNumber } from "#layers/settings/Settings.ts"
import * as Sampling from "#layers/telemetry/Sampling.ts"
import * as Telemetry from "#layers/telemetry/Telemetry.ts"
import { MessageId, traceId } from "#schemas/MessageId.ts"
import * as Trace from "#src/reports/Trace.ts"
import * as Collector from "#test/support/Collector.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"

/** Ids whose random part is spread evenly. */
const ids = Array.from(
  { length: 64 },
  (_, n) => MessageId.make(`1-6553f100-01234567890${(n * 4 + 1).toString(16).padStart(2, "0")}abcdef01234`)
)

describe("Sampling by OTEL_TRACES_SAMPLER", () => {
  it("records the share that is asked for, and with more of them those of the smaller share, too", () => {
    const kept = (share: number) => ids.filter((id) => Sampling.keeps(share)(traceId(id)))
    assert.lengthOf(kept(0), 0)
    assert.lengthOf(kept(1), 64)
    assert.lengthOf(kept(0.25), 16)
    assert.lengthOf(kept(0.5), 32)
    assert.includeMembers(kept(0.5), kept(0.25))
  })

  it.live("keeps or leaves out the whole trace of a request, whichever process works on it", () =>
    Effect.gen(function*() {
      const collector = yield* Collector.start
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_TRACES_SAMPLER: "traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.25"
      }
      const telemetry = Layer.provide(
        Telemetry.layer,
        ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))
      )
      const accept = (id: MessageId) => Effect.void.pipe(Trace.accepting(id))
      const deliver = (id: MessageId) => Effect.void.pipe(Trace.stage("route"), Trace.delivering(id, id))
      for (const [worker, work] of [[undefined, accept], [1, deliver]] as const) {
        yield* Effect.forEach(ids, work).pipe(
          Effect.provide(telemetry),
          Effect.provideService(WorkerNumber, worker)
        )
      }
      const told = (name: string) => collector.spans().filter((span) => span.name === name).map((span) => span.traceId)
      const expected = ids.map(traceId).filter(Sampling.keeps(0.25))
      for (const name of ["accept", "deliver", "route"]) assert.sameMembers(told(name), expected, name)
    }))
})
