import * as Loopback from "#test/support/Loopback.ts"
import { Effect, type Scope } from "effect"
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** A span as OTLP/JSON has it. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<KeyValue>
}

interface Traces {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<KeyValue> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}

/** An OTLP/HTTP collector on loopback that keeps what it is sent. */
export interface Collector {
  readonly url: string
  /** The bodies that came to a path, such as `/v1/traces`. */
  readonly bodies: (path: string) => ReadonlyArray<string>
  readonly spans: () => ReadonlyArray<Span>
  /** Values of a resource attribute, over all traces. */
  readonly resources: (key: string) => ReadonlyArray<unknown>
  /** Until `holds`, or for 20 s. */
  readonly until: (holds: () => boolean) => Promise<void>
}

export const start: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function*() {
  const received: Array<{ readonly path: string; readonly body: string }> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      received.push({ path: request.url ?? "", body: Buffer.concat(chunks).toString("utf8") })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  const port = yield* Loopback.listen(server)
  const bodies = (path: string) => received.filter((request) => request.path === path).map(({ body }) => body)
  const traces = () => bodies("/v1/traces").flatMap((body): Traces["resourceSpans"] => JSON.parse(body).resourceSpans)
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    spans: () => traces().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: (key) =>
      traces().flatMap(({ resource }) =>
        resource.attributes.flatMap((attribute) => attribute.key === key ? Object.values(attribute.value) : [])
      ),
    until: async (holds) => {
      const began = performance.now()
      while (!holds() && performance.now() - began < 20_000) await sleep(20)
    }
  }
})
