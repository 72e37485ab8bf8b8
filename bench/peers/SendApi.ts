import { SendRequest } from "#schemas/api/Send.ts"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Config, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { createServer } from "node:http"

export type Send = typeof SendRequest.Type

const Accepted = Schema.Struct({ requestId: Schema.String }).pipe(HttpApiSchema.status(202))

class Api extends HttpApi.make("peer").add(
  HttpApiGroup.make("send").add(
    HttpApiEndpoint.post("send", "/send", { disableCodecs: true, payload: SendRequest, success: Accepted })
  )
) {}

/**
 * Serves the same `POST /send` as Tidings (its schema, its decoding) on PORT, answering with the id that `accept`
 * gives, and the counters of `metrics`. Request logging is off and no tracer is installed: of the set-ups tried that
 * keep HttpApi this is the fastest, and so the hardest to compare with. `close` runs at SIGTERM.
 */
export const serve = (
  accept: (send: Send) => Effect.Effect<string>,
  metrics: () => string = () => "",
  close: Effect.Effect<void> = Effect.void
): void => {
  const handlers = HttpApiBuilder.group(
    Api,
    "send",
    (handlers) => handlers.handle("send", ({ payload }) => Effect.map(accept(payload), (requestId) => ({ requestId })))
  )
  const plain = Layer.mergeAll(
    HttpRouter.add("GET", "/health/ready", HttpServerResponse.text("ready")),
    HttpRouter.add("GET", "/metrics", Effect.sync(() => HttpServerResponse.text(metrics())))
  )
  HttpRouter.serve(HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers), Layer.merge(plain)), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(NodeHttpServer.layerConfig(createServer, { port: Config.Port("PORT") })),
    Layer.launch,
    Effect.ensuring(close),
    NodeRuntime.runMain
  )
}
