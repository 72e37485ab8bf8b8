import * as Telemetry from "#layers/telemetry/Telemetry.ts"
import { MessageId } from "#schemas/MessageId.ts"
import * as Trace from "#src/reports/Trace.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import { FetchHttpClient } from "effect/http"

const options = { arbitrary: { runs: 25 } }

const blanks = Schema.Literals(["", " ", "\t", "  "])
const cased = (...words: ReadonlyArray<string>) =>
  Schema.Literals(words.flatMap((word) => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)]))

/** What is sent of one request's work to a collector with these variables. */
const sent = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const requests: Array<{ readonly path: string; readonly headers: ReadonlyMap<string, unknown> }> = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push({ path: new URL(String(input)).pathname, headers: new Map(Object.entries(init?.headers ?? {})) })
    return new Response()
  }
  const variables = ConfigProvider.fromEnvRecord({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector", ...environment })
  const id = MessageId.make("1-6553f100-012345678900abcdef012345")
  yield* Effect.void.pipe(
    Trace.accepting(id),
    Effect.provide(Layer.provide(Telemetry.layer, ConfigProvider.layer(variables))),
    Effect.provideService(FetchHttpClient.Fetch, fetch)
  )
  return requests
})

describe("The standard's variables", () => {
  it.effect.prop(
    "may have blanks around the commas and equals signs of headers, which are sent without them",
    { a: blanks, b: blanks, c: blanks, d: blanks },
    ({ a, b, c, d }) =>
      Effect.gen(function*() {
        const headers = `${a}one${b}=${c}1%202${d},${a}two${c}=${b}x y=z==${d}`
        const requests = yield* sent({ OTEL_EXPORTER_OTLP_HEADERS: headers })
        assert.isNotEmpty(requests)
        for (const request of requests) {
          assert.strictEqual(request.headers.get("one"), "1 2")
          assert.strictEqual(request.headers.get("two"), "x y=z==")
        }
      }),
    options
  )

  it.effect.prop(
    "have their words in either case",
    {
      compression: cased("gzip", "none"),
      temporality: cased("delta", "cumulative"),
      sampler: cased("always_on", "parentbased_always_on")
    },
    ({ compression, sampler, temporality }) =>
      Effect.gen(function*() {
        const requests = yield* sent({
          OTEL_EXPORTER_OTLP_COMPRESSION: compression,
          OTEL_EXPORTER_OTLP_LOGS_COMPRESSION: compression,
          OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: temporality,
          OTEL_EXPORTER_OTLP_PROTOCOL: "HTTP/JSON",
          OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/Json",
          OTEL_TRACES_SAMPLER: sampler
        })
        assert.includeMembers(requests.map(({ path }) => path), ["/v1/traces", "/v1/metrics"])
        for (const { headers } of requests) assert.strictEqual(headers.get("content-type"), "application/json")
      }),
    options
  )

  it.effect.prop(
    "switch all off in either case",
    { off: cased("true") },
    ({ off }) => Effect.map(sent({ OTEL_SDK_DISABLED: off }), (requests) => assert.lengthOf(requests, 0))
  )
})
