import * as Listeners from "#layers/http/Listeners.ts"
import { measuring } from "#layers/http/Measured.ts"
import { createServer, keepAlive } from "#layers/http/NodeServer.ts"
import { ahead } from "#layers/http/plain/Ahead.ts"
import { offering } from "#layers/http/plain/Offered.ts"
import { PlainSends } from "#layers/http/plain/PlainSends.ts"
import * as Written from "#layers/http/plain/Written.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Context, Effect, FileSystem, Layer, Path, type Scope, Stdio, Terminal } from "effect"
import {
  Etag,
  HttpPlatform,
  HttpRouter,
  HttpServer,
  type HttpServerError,
  type HttpServerRequest,
  type HttpServerResponse
} from "effect/http"
import { ChildProcessSpawner } from "effect/process"

/**
 * All routes as one effect. The context in which a server begins to serve is copied into every request's, several
 * times. `serve` needs only this service, so that it can be built in a context without the services behind the routes.
 */
export class Front extends Context.Service<
  Front,
  Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    HttpServerError.HttpServerError,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
>()("tidings/http/Front") {}

/**
 * The routes of `HttpRouter.toHttpEffect`, and the clock that they use. Ids in paths may be as long as the headers
 * allow (one that is too long for the domain is 400, not 404). Paths are case-sensitive: `/Send` is not `/send`.
 */
export const layer = <E, R>(routes: Effect.Effect<Front["Service"], E, R>) =>
  Layer.effect(Front, routes).pipe(
    Layer.provide(Layer.succeed(HttpRouter.RouterConfig, { maxParamLength: 16 * 1024, caseSensitive: true })),
    Layer.merge(Layer.effect(Clock.Clock, Clock.Clock))
  )

/**
 * Removes the platform's services from the context: the routes have taken the ones that they need, and answering a
 * request needs none.
 */
const withoutPlatform = Context.omit(
  Front,
  PlainSends,
  HttpServer.HttpServer,
  HttpPlatform.HttpPlatform,
  Etag.Generator,
  ChildProcessSpawner.ChildProcessSpawner,
  FileSystem.FileSystem,
  Path.Path,
  Stdio.Stdio,
  Terminal.Terminal
)

/** The HTTP server, on which plain sends go their short way. */
export const server = (options: NodeHttpServer.Options) =>
  Layer.unwrap(Effect.gen(function*() {
    const { taking } = yield* PlainSends
    const context = withoutPlatform(yield* Effect.context<PlainSends>())
    const [take, measure] = [taking(context), measuring(context)]
    // A second more than callers are told, as Node does: a send that is on its way by then is not lost.
    const direct = { take, measure, written: Written.make(yield* Clock.Clock, keepAlive), idle: keepAlive + 1_000 }
    yield* Listeners.unused(options)
    const make = () => Listeners.multiply(ahead(createServer({}, offering(take), measure), direct), options)
    return NodeHttpServer.layer(make, { ...options, ...Listeners.shared(options) })
  }))

/** Serves the routes on the HTTP server. Requests are not logged: the journal tells what happened. */
export const serve = Layer.effectDiscard(Effect.gen(function*() {
  const front = yield* Front
  const server = yield* HttpServer.HttpServer
  yield* Effect.updateContext(server.serve(front), (context: Context.Context<Scope.Scope>) => withoutPlatform(context))
}))
