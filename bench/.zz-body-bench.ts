import { guard } from "/work/main/layers/http/body/BodyGuard.ts"
import { createServer } from "/work/main/layers/http/NodeServer.ts"
import * as NodeHttpServer from "/work/main/node_modules/@effect/platform-node/dist/NodeHttpServer.js"
import { Effect, Layer, Schema } from "/work/main/node_modules/effect/dist/index.js"
import { HttpRouter } from "/work/main/node_modules/effect/dist/http/index.js"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "/work/main/node_modules/effect/dist/http-api/index.js"
const Api = HttpApi.make("b").add(HttpApiGroup.make("all").add(HttpApiEndpoint.post("send", "/send", { payload: Schema.Struct({ message: Schema.Json }), success: Schema.Json })))
const handlers = HttpApiBuilder.group(Api, "all", (h) => h.handleAll({ send: () => Effect.succeed({ requestId: "1-x" }) }))
const mk = (guarded: boolean, port: number) => {
  const api = HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers))
  return HttpRouter.serve(guarded ? Layer.merge(api, HttpRouter.middleware(guard, { global: true })) : api, { disableLogger: true, disableListenLog: true }).pipe(Layer.provide(NodeHttpServer.layer(() => createServer(), { port, host: "127.0.0.1" })))
}
Effect.runFork(Layer.launch(mk(process.argv[2]==="1", Number(process.argv[3]))))
