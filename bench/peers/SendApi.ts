import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Config, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { createServer } from "node:http"

/** The part of `POST /send` that the bench uses, so that a peer decodes the same body as Tidings. */
export const Send = Schema.Struct({
  message: Schema.Struct({
    to: Schema.Struct({ user_id: Schema.String, email: Schema.String }),
    content: Schema.Struct({ title: Schema.String, body: Schema.String }),
    data: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    routing: Schema.optionalKey(
      Schema.Struct({ method: Schema.Literals(["single", "all"]), channels: Schema.Array(Schema.String) })
    ),
    delay: Schema.optionalKey(Schema.Struct({ duration: Schema.Int }))
  })
})
export type Send = typeof Send.Type

const Accepted = Schema.Struct({ requestId: Schema.String }).pipe(HttpApiSchema.status(202))

class Api extends HttpApi.make("peer").add(
  HttpApiGroup.make("send").add(HttpApiEndpoint.post("send", "/send", { payload: Send, success: Accepted }))
) {}

/**
 * Serves `POST /send` on PORT, answering with the id that `accept` gives, and the counters of `metrics`. Request
 * logging is off and no tracer is installed: the fastest of the set-ups tried that keep HttpApi, hence the hardest one
 * to compare with. `close` runs at SIGTERM.
 */
export const serve = (
  accept: (send: Send) => Effect.Effect<string>,
  metrics: () => string = () => "",
  close: Effect.Effect<void> = Effect.void
): void => {
  const handlers = HttpApiBuilder.group(Api, "send", (handlers) =>
    handlers.handle("send", ({ payload }) => Effect.map(accept(payload), (requestId) => ({ requestId }))))
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
